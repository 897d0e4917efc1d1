/* Random functions on sequences in a running call, compared with copies of what they must be: what the call can
 * still reach stays, whatever is collected in between; in the end nothing is left. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects/object_calls.h"

enum { VARIABLES = 6, MOST = 12, STEPS = 20000, LARGEST = 400, I64 = 7 };

/* What a sequence of vectors must be: the length of each, whose elements are all its value. */
typedef struct {
  int count;
  int64_t lengths[MOST], values[MOST];
} model;

static mlc_objects table;
static model models[VARIABLES];
/* Of the region, as tensors that a host program holds. */
static int64_t *variables[VARIABLES];

static int below(int most) { return rand() / 7 % most; }

/* The result of a function takes the place of a variable, whose memory goes behind the call. */
static void assign(int to, const int64_t *number, const model *made) {
  mlc_host_release(variables[to]);
  variables[to] = (int64_t *)number;
  models[to] = *made;
}

static void erase(int from, int to) {
  model made = models[from];
  const int64_t place = below(made.count);
  int64_t *result = mlc_host_allocate(sizeof *result), at = place, numbers[] = {0, I64, 0, I64, 0, I64, 0};
  mlc_call_sequence_erase((void *[]){variables[from], &at, result}, numbers);
  made.count--;
  for (int64_t i = place; i < made.count; i++)
    made.lengths[i] = made.lengths[i + 1], made.values[i] = made.values[i + 1];
  assign(to, result, &made);
}

static void insert(int from, int to, int64_t value) {
  model made = models[from];
  const int64_t length = below(LARGEST), place = below(2) ? made.count : below(made.count + 1);
  int64_t *result = mlc_host_allocate(sizeof *result), *x = mlc_host_allocate(8 * length), at = place;
  int64_t append[] = {0, I64, 0, I64, 1, length, I64, 0}, numbers[] = {0, I64, 0, I64, 1, length, I64, 0, I64, 0};
  for (int64_t i = 0; i < length; i++)
    x[i] = value;
  if (place == made.count && below(2))
    mlc_call_sequence_append((void *[]){variables[from], x, result}, append);
  else
    mlc_call_sequence_insert((void *[]){variables[from], x, &at, result}, numbers);
  for (int64_t i = made.count++; i > place; i--)
    made.lengths[i] = made.lengths[i - 1], made.values[i] = made.values[i - 1];
  made.lengths[place] = length, made.values[place] = value;
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

/* (): a map's parts are live as long as something names it, as an optional's sequence is. */
static void check_maps(void) {
  int64_t *maps = mlc_host_allocate(sizeof *maps), keys[] = {3, 4}, numbers[] = {0, I64, 1, 2, I64, 2, 5, 2, I64, 0};
  int64_t values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  mlc_call_sequence_maps((void *[]){keys, values, maps}, numbers);
  mlc_objects_step(&table);
  mlc_objects_collect(&table, 0);
  for (int row = 0; row < 5; row++) {
    const mlc_element *element = mlc_call_get_sequence(*maps)->run->elements[row];
    const mlc_sequence *map = mlc_call_get_sequence(*(const int64_t *)element->data);
    assert(((const int64_t *)map->run->elements[1]->data)[1] == 2 * row + 1);
  }
  mlc_host_release(maps);
}

static void entry(void **buffers, int64_t *dims) {
  (void)buffers, (void)dims;
  for (int i = 0; i < VARIABLES; i++)
    *(variables[i] = mlc_host_allocate(sizeof(int64_t))) = 0;
  check_maps();
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
