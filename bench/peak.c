/* Peak arithmetic and bandwidth of this machine, per number of threads.
 *
 *     cc -O3 -march=native -pthread peak.c -o peak && ./peak THREADS
 *
 * Prints one JSON object; as a library it does the same work for `roofline`'s caller to time. Arithmetic rates use
 * the thread's CPU time, which preemption does not affect, and are the median of many blocks; bandwidths are the
 * best of several passes over arrays that exceed the caches. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__AVX512F__)
enum { LANES = 16, ACCUMULATORS = 24 };
#elif defined(__AVX__)
enum { LANES = 8, ACCUMULATORS = 12 };
#else
enum { LANES = 4, ACCUMULATORS = 12 };
#endif
enum { STEPS = 100000, MAX_BLOCKS = 10000, MAX_THREADS = 64, PASSES = 10 };
static const double BLOCK_SECONDS = 0.4;
static const size_t ARRAY_FLOATS = 16 << 20;

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

/* Rates of one thread: 1e9 operations or bytes per second; 0 where the machine lacks the instruction. */
typedef struct {
    double fma, bf16_dot, int8_dot, l1_load, l2_load, read, triad;
} rates;

static pthread_barrier_t barrier;
static rates results[MAX_THREADS];
static int threads;
static volatile float sink;

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vector splat(float value) { return (vector){0} + value; }

static void consume(vector value) { sink = value[0]; }

/* Two operations per lane and multiply-add; the accumulators hide the latency. */
static double fma_block(void *unused) {
    (void)unused;
    vector sum[ACCUMULATORS];
    const vector x = splat(0.999999f), y = splat(1e-7f);
#pragma GCC unroll 24
    for (int i = 0; i < ACCUMULATORS; i++) sum[i] = splat((float)i);
    for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 24
        for (int i = 0; i < ACCUMULATORS; i++) sum[i] = sum[i] * x + y;
    }
#pragma GCC unroll 24
    for (int i = 1; i < ACCUMULATORS; i++) sum[0] += sum[i];
    consume(sum[0]);
    return 2.0 * STEPS * ACCUMULATORS * LANES;
}

/* A dot-product instruction that adds `products` products to each lane. In assembly, because compilers
 * surround the intrinsics with register moves that compete for the same ports. */
#define DOT_BLOCK(name, instruction, products)                                                      \
    static double name(void *unused) {                                                              \
        (void)unused;                                                                               \
        vector sum[ACCUMULATORS];                                                                   \
        const vector x = splat(1);                                                                  \
        _Pragma("GCC unroll 24") for (int i = 0; i < ACCUMULATORS; i++) sum[i] = splat(0);          \
        for (int step = 0; step < STEPS; step++) {                                                  \
            _Pragma("GCC unroll 24") for (int i = 0; i < ACCUMULATORS; i++)                         \
                __asm__(instruction " %1, %1, %0" : "+v"(sum[i]) : "v"(x));                         \
        }                                                                                           \
        _Pragma("GCC unroll 24") for (int i = 1; i < ACCUMULATORS; i++) sum[0] += sum[i];           \
        consume(sum[0]);                                                                            \
        return 2.0 * STEPS * ACCUMULATORS * LANES * (products);                                     \
    }

#if defined(__AVX512BF16__)
DOT_BLOCK(bf16_block, "vdpbf16ps", 2)
#endif
#if defined(__AVX512VNNI__)
DOT_BLOCK(int8_block, "vpdpbusd", 4)
#endif

typedef struct {
    const vector *data;
    size_t bytes;
} buffer;

/* One load per multiply-add, as in a GEMM kernel that takes an operand from memory. */
static double load_block(void *argument) {
    const buffer *source = argument;
    const size_t group = 8, count = source->bytes / sizeof(vector) / group;
    const size_t repeats = ((size_t)64 << 20) / source->bytes;
    vector sum[8];
    const vector x = splat(0.5f);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) sum[i] = splat((float)i);
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        for (size_t k = 0; k < count; k++) {
#pragma GCC unroll 8
            for (size_t i = 0; i < group; i++) sum[i] += source->data[k * group + i] * x;
        }
        __asm__ volatile("" ::: "memory");
    }
#pragma GCC unroll 8
    for (int i = 1; i < 8; i++) sum[0] += sum[i];
    consume(sum[0]);
    return (double)(repeats * count * group * sizeof(vector));
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1e9 units (what `block` returns) per second of CPU time: the median over BLOCK_SECONDS. */
static double rate(double (*block)(void *), void *argument) {
    static __thread double history[MAX_BLOCKS];
    size_t count = 0;
    pthread_barrier_wait(&barrier);
    for (double end = seconds(CLOCK_MONOTONIC) + BLOCK_SECONDS;
         count == 0 || (count < MAX_BLOCKS && seconds(CLOCK_MONOTONIC) < end);) {
        const double start = seconds(CLOCK_THREAD_CPUTIME_ID), units = block(argument);
        history[count++] = units / (seconds(CLOCK_THREAD_CPUTIME_ID) - start) / 1e9;
    }
    qsort(history, count, sizeof *history, ascending);
    return history[count / 2];
}

static void *allocate(size_t bytes, float value) {
    vector *data = aligned_alloc(64, bytes);
    if (!data) {
        fprintf(stderr, "peak: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < bytes / sizeof(vector); i++) data[i] = splat(value);
    return data;
}

static double load_rate(size_t bytes) {
    buffer source = {allocate(bytes, 1e-7f), bytes};
    const double found = rate(load_block, &source);
    free((void *)source.data);
    return found;
}

static void triad(vector *restrict a, const vector *restrict b, const vector *restrict c, size_t count) {
    for (size_t i = 0; i < count; i++) a[i] = b[i] + splat(3) * c[i];
}

static void read_all(const vector *data, size_t count) {
    vector sum[4] = {splat(0), splat(0), splat(0), splat(0)};
    for (size_t i = 0; i + 4 <= count; i += 4) {
        for (size_t j = 0; j < 4; j++) sum[j] += data[i + j];
    }
    consume(sum[0] + sum[1] + sum[2] + sum[3]);
}

/* Bandwidth of one thread while all stream, best of PASSES: three arrays move in a triad, one in a read. */
static void bandwidth(rates *found) {
    const size_t bytes = ARRAY_FLOATS * sizeof(float), count = bytes / sizeof(vector);
    vector *a = allocate(bytes, 0), *b = allocate(bytes, 1), *c = allocate(bytes, 2);
    for (int pass = 0; pass < 2 * PASSES; pass++) {
        const int reads = pass % 2;
        pthread_barrier_wait(&barrier);
        const double start = seconds(CLOCK_MONOTONIC);
        if (reads) read_all(b, count);
        else triad(a, b, c, count);
        pthread_barrier_wait(&barrier);
        const double speed = (reads ? 1 : 3) * (double)bytes / (seconds(CLOCK_MONOTONIC) - start) / 1e9;
        double *best = reads ? &found->read : &found->triad;
        if (speed > *best) *best = speed;
    }
    free(a);
    free(b);
    free(c);
}

static void *measure(void *argument) {
    const size_t index = (size_t)(uintptr_t)argument;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(index, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    rates *found = &results[index];
    found->fma = rate(fma_block, NULL);
#if defined(__AVX512BF16__)
    found->bf16_dot = rate(bf16_block, NULL);
#endif
#if defined(__AVX512VNNI__)
    found->int8_dot = rate(int8_block, NULL);
#endif
    found->l1_load = load_rate(16 << 10);
    found->l2_load = load_rate(512 << 10);
    bandwidth(found);
    return NULL;
}

/* Work of a known amount that its caller times: bench/engines/roofline.py loads this file as a library. */
enum { FMA, READ, COPY, TRIAD, MEMCPY };

typedef struct {
    int limit;
    size_t amount;
    vector *arrays[3];
} share;

/* Stores go through the cache, as a compiler's do; without the attribute the loop becomes memcpy. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) static void copy(
    vector *restrict to, const vector *restrict from, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = from[i];
}

static void *work(void *argument) {
    const share *s = argument;
    if (s->limit == FMA)
        for (size_t block = 0; block < s->amount; block++) fma_block(NULL);
    else if (s->limit == READ) read_all(s->arrays[0], s->amount);
    else if (s->limit == COPY) copy(s->arrays[1], s->arrays[0], s->amount);
    else if (s->limit == TRIAD) triad(s->arrays[2], s->arrays[0], s->arrays[1], s->amount);
    else memcpy(s->arrays[1], s->arrays[0], s->amount * sizeof(vector));
    return NULL;
}

/* Floating-point operations of one block of FMA. */
double roofline_block_flop(void) { return 2.0 * STEPS * ACCUMULATORS * LANES; }

/* `amount` is blocks per thread (FMA), or the bytes of each of the arrays, which the threads share. */
void roofline_work(int limit, int count, size_t amount, char *a, char *b, char *c) {
    pthread_t workers[MAX_THREADS];
    share shares[MAX_THREADS];
    const size_t vectors = limit == FMA ? amount : amount / sizeof(vector) / (size_t)count;
    for (int i = 0; i < count; i++) {
        const size_t offset = limit == FMA ? 0 : (size_t)i * vectors * sizeof(vector);
        shares[i] = (share){limit, vectors, {(vector *)(a + offset), (vector *)(b + offset), (vector *)(c + offset)}};
        if (i) pthread_create(&workers[i], NULL, work, &shares[i]);
    }
    work(&shares[0]);
    for (int i = 1; i < count; i++) pthread_join(workers[i], NULL);
}

int main(int argc, char **argv) {
    threads = argc == 2 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: peak THREADS (1 to %d)\n", MAX_THREADS);
        return 2;
    }
    pthread_t workers[MAX_THREADS];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) pthread_create(&workers[i], NULL, measure, (void *)(uintptr_t)i);
    rates sum = {0};
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i], NULL);
        sum.fma += results[i].fma;
        sum.bf16_dot += results[i].bf16_dot;
        sum.int8_dot += results[i].int8_dot;
        sum.l1_load += results[i].l1_load;
        sum.l2_load += results[i].l2_load;
        sum.read += results[i].read;
        sum.triad += results[i].triad;
    }
    printf("{\"threads\": %d, \"fma_gflops\": %.1f, \"bf16_dot_gflops\": %.1f, \"int8_dot_gops\": %.1f, "
           "\"l1_load_gbs\": %.1f, \"l2_load_gbs\": %.1f, \"read_gbs\": %.1f, \"triad_gbs\": %.1f}\n",
           threads, sum.fma, sum.bf16_dot, sum.int8_dot, sum.l1_load, sum.l2_load, sum.read, sum.triad);
    return 0;
}
