/* Random functions on sequences in a running call, compared with a model: sequences that the call can reach survive
 * all collections, and in the end nothing is left. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects/object_calls.h"

enum { VARIABLES = 6, MOST = 12, STEPS = 20000, LARGEST = 400, I64 = 7 };

/* The expected sequence of vectors: their lengths, and the value of all elements of each. */
typedef struct {
  int count;
  int64_t lengths[MOST], values[MOST];
} model;

static mlc_objects table;
static model models[VARIABLES];
/* Allocated in the region, as tensors that a host program holds. */
static int64_t *variables[VARIABLES];

static int below(int most) { return rand() / 7 % most; }

/* Replaces a variable, whose memory is released, by the result of a function. */
static void assign(int to, const int64_t *id, const model *made) {
  mlc_host_release(variables[to]);
  variables[to] = (int64_t *)id;
  models[to] = *made;
}

static void erase(int from, int to) {
  model made = models[from];
  const int64_t position = below(made.count);
  int64_t *result = mlc_host_allocate(sizeof *result), at = position, scalars[] = {0, I64, 0, I64, 0, I64, 0};
  mlc_call_sequence_erase((void *[]){variables[from], &at, result}, scalars);
  made.count--;
  for (int64_t i = position; i < made.count; i++)
    made.lengths[i] = made.lengths[i + 1], made.values[i] = made.values[i + 1];
  assign(to, result, &made);
}

static void insert(int from, int to, int64_t value) {
  model made = models[from];
  const int64_t length = below(LARGEST), position = below(2) ? made.count : below(made.count + 1);
  int64_t *result = mlc_host_allocate(sizeof *result), *x = mlc_host_allocate(8 * length), at = position;
  int64_t append[] = {0, I64, 0, I64, 1, length, I64, 0}, scalars[] = {0, I64, 0, I64, 1, length, I64, 0, I64, 0};
  for (int64_t i = 0; i < length; i++)
    x[i] = value;
  if (position == made.count && below(2))
    mlc_call_sequence_append((void *[]){variables[from], x, result}, append);
  else
    mlc_call_sequence_insert((void *[]){variables[from], x, &at, result}, scalars);
  for (int64_t i = made.count++; i > position; i--)
    made.lengths[i] = made.lengths[i - 1], made.values[i] = made.values[i - 1];
  made.lengths[position] = length, made.values[position] = value;
  mlc_host_release(x);
  assign(to, result, &made);
}

static void check(int from) {
  const model *expected = &models[from];
  const mlc_sequence *found = mlc_call_get_sequence(*variables[from]);
  assert(found->count == expected->count);
  for (int i = 0; i < expected->count; i++) {
    const mlc_element *element = found->run->elements[i];
    assert(element->rank == 1 && element->sizes[0] == expected->lengths[i]);
    for (int64_t k = 0; k < element->sizes[0]; k++)
      assert(((const int64_t *)element->data)[k] == expected->values[i]);
  }
}

/* The vectors of maps are live as long as something refers to the sequence of the maps. */
static void check_maps(void) {
  int64_t *maps = mlc_host_allocate(sizeof *maps), keys[] = {3, 4}, scalars[] = {0, I64, 1, 2, I64, 2, 5, 2, I64, 0};
  int64_t values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  mlc_call_sequence_maps((void *[]){keys, values, maps}, scalars);
  mlc_objects_step(&table);
  mlc_objects_collect(&table, 0);
  const mlc_sequence *found = mlc_call_get_sequence(*maps);
  assert(found->count == 10);
  for (int row = 0; row < 5; row++) {
    assert(((const int64_t *)found->run->elements[2 * row]->data)[1] == 4);
    assert(((const int64_t *)found->run->elements[2 * row + 1]->data)[1] == 2 * row + 1);
  }
  mlc_host_release(maps);
}

/* A sequence is live as long as something refers to the optional that holds its id. */
static void check_optional(void) {
  int64_t *optional = mlc_host_allocate(sizeof *optional), *sequence = mlc_host_allocate(sizeof *sequence), x = 7;
  int64_t scalars[] = {0, I64, 0, I64, 0, I64, 0};
  *optional = *sequence = 0;
  mlc_call_sequence_append((void *[]){sequence, &x, sequence}, scalars);
  mlc_call_sequence_append((void *[]){optional, sequence, optional}, scalars);
  mlc_host_release(sequence);
  mlc_objects_step(&table);
  mlc_objects_collect(&table, 0);
  const mlc_element *held = mlc_call_get_sequence(*optional)->run->elements[0];
  const mlc_sequence *found = mlc_call_get_sequence(*(const int64_t *)held->data);
  assert(*(const int64_t *)found->run->elements[0]->data == x);
  mlc_host_release(optional);
}

static void entry(void **buffers, int64_t *dims) {
  (void)buffers, (void)dims;
  for (int i = 0; i < VARIABLES; i++)
    *(variables[i] = mlc_host_allocate(sizeof(int64_t))) = 0;
  check_maps();
  check_optional();
  for (int step = 0; step < STEPS; step++) {
    const int from = below(VARIABLES), to = below(VARIABLES);
    if (models[from].count == MOST || (models[from].count && below(3) == 0))
      erase(from, to);
    else
      insert(from, to, step);
    if (below(8) == 0)
      mlc_objects_step(&table), mlc_objects_collect(&table, 0);
    check(from), check(to);
  }
  assert(table.peak_bytes < 4 << 20);
  for (int i = 0; i < VARIABLES; i++)
    *variables[i] = 0;
  mlc_objects_step(&table), mlc_objects_collect(&table, 0);
  assert(!table.elements && !table.runs && table.free_count == table.sequence_count);
}

int main(void) {
  mlc_host_call call = {0};
  mlc_current_objects = &table;
  assert(mlc_host_run(&call, entry, NULL, NULL));
  mlc_region_free(&call.region);
  mlc_objects_clear(&table);
  puts("done");
  return 0;
}
