/* Conservative mark and sweep of the sequences of a call's table, and of their elements. The roots are the ids in the
 * memory of the running call: the host program releases the memory of a tensor after its last use, so that what is
 * left there is needed. An integer that equals an id by accident keeps a sequence. */
#include <string.h>

#include "memory/host_memory.h"
#include "objects/objects.h"

enum { LEAST_BYTES = 1 << 20 };

/* The state of a collection; `first` is the index of the first sequence to be scanned, which `next` links. */
typedef struct {
  mlc_objects *table;
  int64_t first;
} marking;

static void mark_sequence(marking *m, int64_t index) {
  mlc_sequence *sequence = index < 0 ? NULL : &m->table->sequences[index];
  if (!sequence || sequence->mark == m->table->collections)
    return;
  sequence->mark = m->table->collections;
  sequence->next = m->first;
  m->first = index;
}

/* The elements of optionals of sequences are ids. */
static void mark_element(marking *m, mlc_element *element) {
  if (!element || element->mark == m->table->collections)
    return;
  element->mark = m->table->collections;
  int64_t id;
  if (element->rank == 0 && element->bytes == sizeof id) {
    memcpy(&id, element->data, sizeof id);
    mark_sequence(m, mlc_objects_index(m->table, id));
  }
}

static void mark_run(const marking *m, mlc_run *run) {
  if (run->mark != m->table->collections)
    run->marked = 0;
  run->mark = m->table->collections;
}

static void mark_elements(marking *m) {
  while (m->first >= 0) {
    const mlc_sequence *sequence = &m->table->sequences[m->first];
    mlc_run *run = sequence->run;
    m->first = sequence->next;
    for (mark_run(m, run); run->marked < sequence->count; run->marked++)
      mark_element(m, run->elements[run->marked]);
  }
}

/* Whether the running function or the caller of the program made the object. */
static bool is_kept(const marking *m, uint64_t step) { return step == 0 || step == m->table->step; }

static void mark_memory(void *context, const void *memory, size_t bytes) {
  marking *m = context;
  const int64_t *values = memory;
  for (size_t i = 0; i < bytes / sizeof *values; i++)
    mark_sequence(m, mlc_objects_index(m->table, values[i]));
}

static void mark(marking *m) {
  mlc_objects *table = m->table;
  for (int64_t index = 0; index < table->sequence_count; index++)
    if (table->sequences[index].run && is_kept(m, table->sequences[index].step))
      mark_sequence(m, index);
  for (mlc_run *run = table->runs; run && is_kept(m, run->step); run = run->next)
    mark_run(m, run);
  for (mlc_element *element = table->elements; element && is_kept(m, element->step); element = element->next)
    mark_element(m, element);
  mlc_host_each_memory(mark_memory, m);
  mark_elements(m);
}

static void sweep_sequences(mlc_objects *table) {
  for (int64_t index = 0; index < table->sequence_count; index++) {
    mlc_sequence *sequence = &table->sequences[index];
    if (!sequence->run || sequence->mark == table->collections)
      continue;
    *sequence = (mlc_sequence){.count = table->first_free};
    table->first_free = index;
    table->free_count++;
  }
}

/* Elements of a run after those of its sequences are free again. */
static void sweep_runs(mlc_objects *table) {
  for (mlc_run **link = &table->runs; *link;) {
    mlc_run *run = *link;
    if (run->mark == table->collections) {
      run->used = run->marked;
      link = &run->next;
    } else {
      *link = run->next;
      mlc_objects_give(table, run, mlc_objects_run_bytes(run->size));
    }
  }
}

static void sweep_elements(mlc_objects *table) {
  for (mlc_element **link = &table->elements; *link;) {
    mlc_element *element = *link;
    if (element->mark == table->collections) {
      link = &element->next;
    } else {
      *link = element->next;
      mlc_objects_give(table, element, mlc_objects_element_bytes(element));
    }
  }
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void mlc_objects_collect(mlc_objects *table, size_t bytes) {
  /* Outside of the call the roots are not known. */
  if (table->step != 0 && table->call == mlc_host_call_id()) {
    marking m = {table, -1};
    table->collections++;
    mark(&m);
    sweep_sequences(table);
    sweep_runs(table);
    sweep_elements(table);
  }
  /* The next collection follows when as many bytes were allocated as this one has scanned. */
  table->collect_at = table->bytes + bytes + larger(LEAST_BYTES, larger(table->bytes, mlc_host_live_bytes()));
}

void mlc_objects_step(mlc_objects *table) {
  const uint64_t call = mlc_host_call_id();
  if (call != table->call) {
    table->call = call;
    for (int64_t index = 0; index < table->sequence_count; index++)
      table->sequences[index].step = 0;
  }
  table->step++;
}
