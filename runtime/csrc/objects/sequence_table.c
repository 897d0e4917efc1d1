/* The sequences of a call's table, and their elements. */
#include <string.h>

#include "objects/objects.h"

/* ---- ids ------------------------------------------------------------------------------------ */

/* The high bits of an id; the low ones are the index of the sequence. Other integers have the tag only by accident. */
static const int64_t TAG = INT64_C(0x5e9b3d) << 40, INDEX_MASK = (INT64_C(1) << 40) - 1;

int64_t mlc_objects_index(const mlc_objects *table, int64_t id) {
  const int64_t index = id & INDEX_MASK;
  const bool is_one = (id & ~INDEX_MASK) == TAG && index < table->sequence_count && table->sequences[index].run;
  return is_one ? index : -1;
}

const mlc_sequence *mlc_objects_get_sequence(const mlc_objects *table, int64_t id) {
  static const mlc_sequence empty = {0};
  if (id == 0)
    return &empty;
  const int64_t index = mlc_objects_index(table, id);
  return index < 0 ? NULL : &table->sequences[index];
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Bytes of an element before its data. */
static size_t head_bytes(int64_t rank) {
  const size_t bytes = sizeof(mlc_element) + (size_t)rank * sizeof(int64_t);
  return (bytes + 63) / 64 * 64;
}

size_t mlc_objects_element_bytes(const mlc_element *element) {
  return head_bytes(element->rank) + (size_t)element->bytes;
}

mlc_element *mlc_objects_element(mlc_objects *table, int64_t element, int64_t rank, const int64_t *sizes,
                                 int64_t bytes) {
  const size_t head = head_bytes(rank);
  mlc_element *made = (size_t)bytes > SIZE_MAX - head ? NULL : mlc_objects_take(table, head + (size_t)bytes);
  if (!made)
    return NULL;
  *made = (mlc_element){table->elements, table->step, 0,     element, rank, bytes, (int64_t *)(made + 1),
                        (char *)made + head};
  table->elements = made;
  for (int64_t i = 0; i < rank; i++)
    made->sizes[i] = sizes[i];
  return made;
}

/* ---- sequences ------------------------------------------------------------------------------ */

size_t mlc_objects_run_bytes(int64_t size) { return sizeof(mlc_run) + (size_t)size * sizeof(mlc_element *); }

static mlc_run *new_run(mlc_objects *table, int64_t size) {
  if ((uint64_t)size > (SIZE_MAX - sizeof(mlc_run)) / sizeof(mlc_element *))
    return NULL;
  mlc_run *run = mlc_objects_take(table, mlc_objects_run_bytes(size));
  if (!run)
    return NULL;
  *run = (mlc_run){.next = table->runs, .step = table->step, .size = size};
  table->runs = run;
  return run;
}

/* The index of a free entry, or -1. */
static int64_t take_entry(mlc_objects *table) {
  if (table->free_count) {
    const int64_t index = table->first_free;
    table->first_free = table->sequences[index].count;
    table->free_count--;
    return index;
  }
  if (table->sequence_count == INDEX_MASK ||
      !mlc_objects_grow(table, (void **)&table->sequences, table->sequence_count, sizeof *table->sequences))
    return -1;
  return table->sequence_count++;
}

/* The id of a new sequence of the first elements of a run; -1 when there is no memory. */
static int64_t add_sequence(mlc_objects *table, int64_t count, mlc_run *run) {
  const int64_t index = run ? take_entry(table) : -1;
  if (index < 0)
    return -1;
  run->used = count;
  table->sequences[index] = (mlc_sequence){.count = count, .run = run, .step = table->step};
  return TAG | index;
}

int64_t mlc_objects_sequence(mlc_objects *table, int64_t count) {
  if (count == 0)
    return 0;
  mlc_run *run = new_run(table, count);
  if (run)
    memset(run->elements, 0, (size_t)count * sizeof *run->elements);
  return add_sequence(table, count, run);
}

int64_t mlc_objects_append(mlc_objects *table, const mlc_sequence *sequence, mlc_element *element) {
  const int64_t count = sequence->count;
  mlc_run *run = sequence->run;
  /* Another sequence uses the next element of the run, or the run is full. */
  if (!run || run->used != count || run->size == count) {
    mlc_run *larger = new_run(table, count < 4 ? 8 : 2 * count);
    if (!larger)
      return -1;
    if (run)
      memcpy(larger->elements, run->elements, (size_t)count * sizeof *run->elements);
    run = larger;
  }
  run->elements[count] = element;
  return add_sequence(table, count + 1, run);
}
