/* The stub driver: captures and graphs. */
#include "stub.h"

#include <stdlib.h>

typedef struct {
  object head;
  op_list *list;
} executable;

static int captures;

int stub_capturing(void) { return captures; }

void stub_append(op_list *list, op work) {
  list->ops = realloc(list->ops, (list->count + 1) * sizeof *list->ops);
  list->ops[list->count++] = work;
}

/* The last streams first: only waits bring them in order. */
static int advance(const op_list *list, char *done, const stream *on, size_t count) {
  size_t seen = 0;
  int status = OK;
  for (size_t i = 0; i < list->count && seen < count && !status; i++) {
    const op *work = &list->ops[i];
    if (work->on != on)
      continue;
    seen++;
    if (!done[i]) {
      done[i] = 1;
      status = work->type == WAIT ? advance(list, done, work->other, work->count) : stub_run_op(work);
    }
  }
  return status;
}

int stub_run_list(const op_list *list) {
  char *done = calloc(list->count + 1, 1);
  int status = OK;
  for (size_t i = list->count; i-- > 0 && !status;)
    status = advance(list, done, list->ops[i].on, SIZE_MAX);
  free(done);
  return status;
}

EXPORT int cuStreamBeginCapture_v2(void *handle, int mode) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || s == &stub_default || s->graph || mode < 0 || mode > 2)
    return s == &stub_default ? CAPTURE_UNSUPPORTED : INVALID_VALUE;
  graph *made = stub_new(GRAPH, sizeof *made);
  made->list = calloc(1, sizeof *made->list);
  made->origin = s;
  s->graph = made;
  s->captured = s->joined = 0;
  s->after_launch = 0;
  captures++;
  return OK;
}

EXPORT int cuStreamEndCapture(void *handle, graph **result) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  *result = NULL;
  if (!s || !s->graph || s->graph->origin != s)
    return CAPTURE_UNMATCHED;
  graph *made = s->graph;
  int status = made->invalid ? CAPTURE_INVALIDATED : OK;
  for (size_t i = 0; i < made->stream_count; i++) {
    if (!status && made->streams[i]->joined < made->streams[i]->captured)
      status = CAPTURE_UNJOINED;
    made->streams[i]->graph = NULL;
  }
  s->graph = NULL;
  s->after_launch = 0;
  captures--;
  if (status)
    stub_free(made);
  else
    *result = made;
  return status;
}

EXPORT int cuGraphDestroy(graph *g) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(g, GRAPH))
    return INVALID_HANDLE;
  stub_free(g);
  return OK;
}

EXPORT int cuGraphInstantiateWithFlags(executable **result, graph *g, unsigned long long flags) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(g, GRAPH) || flags)
    return INVALID_VALUE;
  *result = stub_new(EXECUTABLE, sizeof **result);
  (*result)->list = g->list;
  return OK;
}

EXPORT int cuGraphExecUpdate_v2(executable *e, graph *g, void *result) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(e, EXECUTABLE) || !stub_is(g, GRAPH) || !result)
    return INVALID_VALUE;
  int same = e->list->count == g->list->count;
  for (size_t i = 0; same && i < g->list->count; i++)
    same = e->list->ops[i].type == g->list->ops[i].type && e->list->ops[i].code == g->list->ops[i].code &&
           e->list->ops[i].overlaps == g->list->ops[i].overlaps;
  if (!same)
    return GRAPH_UPDATE_FAILURE;
  e->list = g->list;
  return OK;
}

EXPORT int cuGraphLaunch(executable *e, void *handle) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(e, EXECUTABLE))
    return INVALID_VALUE;
  e->list->references++;
  const int status = stub_enqueue(handle, (op){.type = GRAPH_LAUNCH, .list = e->list});
  e->list->references -= status != OK;
  return status;
}

/* Stricter than the driver: not while it runs. */
EXPORT int cuGraphExecDestroy(executable *e) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(e, EXECUTABLE) || e->list->references)
    return INVALID_VALUE;
  stub_free(e);
  return OK;
}
