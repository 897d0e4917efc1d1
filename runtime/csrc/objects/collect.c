/* Releases the sequences of a call's table that nothing of the call refers to any more, and their elements. What is
 * live begins with the numbers in the memory of the running call: the host program releases the memory of a tensor
 * behind its last use, so that what is left there is needed. A number that is there by accident keeps a sequence. */
#include <string.h>

#include "memory/host_memory.h"
#include "objects/objects.h"

enum { LEAST_BYTES = 1 << 20 };

/* What is live, by the number of this collection; `first` is the list of sequences to be looked at, by place. */
typedef struct {
  mlc_objects *table;
  int64_t first;
} marking;

static void mark_sequence(marking *m, int64_t place) {
  mlc_sequence *sequence = place < 0 ? NULL : &m->table->sequences[place];
  if (!sequence || sequence->mark == m->table->collections)
    return;
  sequence->mark = m->table->collections;
  sequence->next = m->first;
  m->first = place;
}

/* Optionals of sequences, and sequences of maps, have numbers for elements. */
static void mark_element(marking *m, mlc_element *element) {
  if (!element || element->mark == m->table->collections)
    return;
  element->mark = m->table->collections;
  int64_t number;
  if (element->rank == 0 && element->bytes == sizeof number) {
    memcpy(&number, element->data, sizeof number);
    mark_sequence(m, mlc_objects_place(m->table, number));
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

/* Whether the running function has made it, or whoever calls the program. */
static bool is_kept(const marking *m, uint64_t step) { return step == 0 || step == m->table->step; }

static void mark_memory(void *context, const void *memory, size_t bytes) {
  marking *m = context;
  const int64_t *numbers = memory;
  for (size_t i = 0; i < bytes / sizeof *numbers; i++)
    mark_sequence(m, mlc_objects_place(m->table, numbers[i]));
}

static void mark(marking *m) {
  mlc_objects *table = m->table;
  for (int64_t place = 0; place < table->sequence_count; place++)
    if (table->sequences[place].run && is_kept(m, table->sequences[place].step))
      mark_sequence(m, place);
  for (mlc_run *run = table->runs; run && is_kept(m, run->step); run = run->next)
    mark_run(m, run);
  for (mlc_element *element = table->elements; element && is_kept(m, element->step); element = element->next)
    mark_element(m, element);
  mlc_host_each_memory(mark_memory, m);
  mark_elements(m);
}

static void sweep_sequences(mlc_objects *table) {
  for (int64_t place = 0; place < table->sequence_count; place++) {
    mlc_sequence *sequence = &table->sequences[place];
    if (!sequence->run || sequence->mark == table->collections)
      continue;
    *sequence = (mlc_sequence){.count = table->first_free};
    table->first_free = place;
    table->free_count++;
  }
}

/* Places of a run behind those of its sequences are free again. */
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
  /* Outside of the call nothing tells what is needed. */
  if (table->step != 0 && table->call == mlc_host_call_number()) {
    marking m = {table, -1};
    table->collections++;
    mark(&m);
    sweep_sequences(table);
    sweep_runs(table);
    sweep_elements(table);
  }
  /* As many bytes are made before the next collection as this one has looked at. */
  table->collect_at = table->bytes + bytes + larger(LEAST_BYTES, larger(table->bytes, mlc_host_live_bytes()));
}

void mlc_objects_step(mlc_objects *table) {
  const uint64_t call = mlc_host_call_number();
  if (call != table->call) {
    table->call = call;
    for (int64_t place = 0; place < table->sequence_count; place++)
      table->sequences[place].step = 0;
  }
  table->step++;
}
