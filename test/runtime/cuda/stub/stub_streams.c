/* The stub driver: streams, events, copies. */
#include "stub.h"

#include <stdlib.h>
#include <string.h>


stream stub_default = {.head.type = STREAM};
static stream *all[256];
static size_t stream_count;
static int sticky; /* a kernel failed: everything fails from now on */

stream *stub_stream(void *handle) {
  if ((uintptr_t)handle <= 2 || handle == &stub_default)
    return &stub_default;
  return stub_is(handle, STREAM) ? handle : NULL;
}

int stub_run_op(const op *work) {
  switch (work->type) {
  case COPY:
    memmove(work->target, work->source, work->bytes);
    return OK;
  case FILL:
    memset(work->target, work->byte, work->bytes);
    return OK;
  case LAUNCH:
    return stub_launch(work);
  case GRAPH_LAUNCH:
    return stub_run_list(work->list);
  default:
    return OK;
  }
}

static int run_until(stream *s, size_t count) {
  while (s->done < count && !sticky) {
    op *work = &s->ops[s->done++ % MAX_OPS];
    const int status = work->type == WAIT ? run_until(work->other, work->count) : stub_run_op(work);
    if (status)
      sticky = status;
    if (work->staged)
      free((void *)work->source);
    if (work->type == GRAPH_LAUNCH)
      work->list->references--;
  }
  return sticky;
}

int stub_drain_all(void) {
  for (size_t i = 0; i < stream_count; i++)
    run_until(all[i], all[i]->enqueued);
  return run_until(&stub_default, stub_default.enqueued);
}

int stub_enqueue(void *handle, op work) {
  stream *s = stub_stream(handle);
  if (!s)
    return INVALID_HANDLE;
  if (sticky)
    return sticky;
  work.on = s;
  stub_count_overlap(&work);
  s->after_launch = work.type == LAUNCH;
  if (s->graph) {
    stub_append(s->graph->list, work);
    s->captured++;
    return OK;
  }
  if (s->enqueued - s->done == MAX_OPS && run_until(s, s->done + 1))
    return sticky;
  s->ops[s->enqueued++ % MAX_OPS] = work;
  return OK;
}

/* ---- streams ---- */

EXPORT int cuStreamCreate(void **handle, unsigned flags) {
  ENTER(NEEDS_CONTEXT);
  if (flags > 1 || stream_count == sizeof all / sizeof *all)
    return INVALID_VALUE;
  *handle = all[stream_count++] = stub_new(STREAM, sizeof(stream));
  return OK;
}

EXPORT int cuStreamDestroy_v2(void *handle) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(handle, STREAM))
    return INVALID_HANDLE;
  run_until(handle, ((stream *)handle)->enqueued);
  stub_free(handle);
  return OK;
}

static int forbidden(stream *s) {
  if (s->graph)
    s->graph->invalid = 1;
  return s->graph ? CAPTURE_UNSUPPORTED : OK;
}

EXPORT int cuStreamSynchronize(void *handle) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || forbidden(s))
    return s ? CAPTURE_UNSUPPORTED : INVALID_HANDLE;
  return run_until(s, s->enqueued);
}

EXPORT int cuStreamQuery(void *handle) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || forbidden(s))
    return s ? CAPTURE_UNSUPPORTED : INVALID_HANDLE;
  return s->done < s->enqueued ? NOT_READY : sticky;
}

EXPORT int cuCtxSynchronize(void) {
  ENTER(NEEDS_CONTEXT);
  return stub_capturing() ? CAPTURE_UNSUPPORTED : stub_drain_all();
}

/* ---- events ---- */

EXPORT int cuEventCreate(void **handle, unsigned flags) {
  ENTER(NEEDS_CONTEXT);
  if (flags > 3)
    return INVALID_VALUE;
  event *made = stub_new(EVENT, sizeof *made);
  made->timing = !(flags & 2);
  *handle = made;
  return OK;
}

EXPORT int cuEventDestroy_v2(void *handle) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(handle, EVENT))
    return INVALID_HANDLE;
  stub_free(handle);
  return OK;
}

EXPORT int cuEventRecord(event *e, void *handle) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || !stub_is(e, EVENT))
    return INVALID_HANDLE;
  e->on = s;
  s->after_launch = 0;
  e->recorded = 1;
  e->graph = s->graph;
  e->count = s->graph ? s->captured : s->enqueued;
  return OK;
}

EXPORT int cuStreamWaitEvent(void *handle, event *e, unsigned flags) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || !stub_is(e, EVENT) || flags)
    return INVALID_HANDLE;
  if (!e->recorded)
    return OK;
  if (s->graph && s->graph != e->graph)
    return CAPTURE_ISOLATION;
  if (e->graph && !s->graph) {
    s->graph = e->graph;
    s->captured = s->joined = 0;
    s->graph->streams[s->graph->stream_count++] = s;
  }
  if (e->graph && e->on != s && e->count > e->on->joined)
    e->on->joined = e->count;
  return stub_enqueue(s, (op){.type = WAIT, .other = e->on, .count = e->count});
}

EXPORT int cuEventQuery(event *e) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(e, EVENT))
    return INVALID_HANDLE;
  if (e->graph)
    return CAPTURED_EVENT;
  return e->recorded && e->on->done < e->count ? NOT_READY : sticky;
}

EXPORT int cuEventSynchronize(event *e) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(e, EVENT))
    return INVALID_HANDLE;
  if (e->graph)
    return CAPTURED_EVENT;
  return e->recorded ? run_until(e->on, e->count) : OK;
}

EXPORT int cuEventElapsedTime(float *milliseconds, event *from, event *to) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_is(from, EVENT) || !stub_is(to, EVENT) || !from->timing || !to->timing || !from->recorded ||
      !to->recorded)
    return INVALID_HANDLE;
  *milliseconds = (float)(to->count - from->count);
  return from->on->done < from->count || to->on->done < to->count ? NOT_READY : OK;
}

/* ---- copies ---- */

static int on_host(const void *address, size_t bytes) { return address && !stub_on_device((uint64_t)address, bytes); }

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes, void *handle) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || !stub_on_device(target, bytes) || !on_host(source, bytes))
    return s ? INVALID_VALUE : INVALID_HANDLE;
  op work = {.type = COPY, .target = (char *)target, .source = source, .bytes = bytes};
  if (!s->graph && !stub_is_pinned(source, bytes)) {
    work.source = memcpy(malloc(bytes), source, bytes);
    work.staged = 1;
  }
  return stub_enqueue(handle, work);
}

EXPORT int cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t bytes, void *handle) {
  ENTER(NEEDS_CONTEXT);
  stream *s = stub_stream(handle);
  if (!s || !stub_on_device(source, bytes) || !on_host(target, bytes))
    return s ? INVALID_VALUE : INVALID_HANDLE;
  const int status =
      stub_enqueue(handle, (op){.type = COPY, .target = target, .source = (char *)source, .bytes = bytes});
  return status || s->graph || stub_is_pinned(target, bytes) ? status : run_until(s, s->enqueued);
}

EXPORT int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes, void *handle) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_on_device(target, bytes) || !stub_on_device(source, bytes))
    return INVALID_VALUE;
  return stub_enqueue(handle,
                      (op){.type = COPY, .target = (char *)target, .source = (char *)source, .bytes = bytes});
}

EXPORT int cuMemsetD8Async(uint64_t target, unsigned char byte, size_t bytes, void *handle) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_on_device(target, bytes))
    return INVALID_VALUE;
  return stub_enqueue(handle, (op){.type = FILL, .target = (char *)target, .byte = byte, .bytes = bytes});
}

/* On the default stream, which does not wait for others of ours: they are created so. */
EXPORT int cuMemcpyHtoD_v2(uint64_t target, const void *source, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_on_device(target, bytes) || !on_host(source, bytes))
    return INVALID_VALUE;
  memcpy((char *)target, source, bytes);
  return sticky;
}

EXPORT int cuMemcpyDtoH_v2(void *target, uint64_t source, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  if (!stub_on_device(source, bytes) || !on_host(target, bytes))
    return INVALID_VALUE;
  memcpy(target, (char *)source, bytes);
  return sticky;
}
