/* The strings of a call's table, interned: equal ones have one id. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects/objects.h"

/* A key that nobody outside the process knows, so that nobody can choose strings that share a bucket. */
static uint64_t hash_key[2];

__attribute__((constructor)) static void choose_key(void) {
  if (getentropy(hash_key, sizeof hash_key) != 0)
    hash_key[0] = (uint64_t)(uintptr_t)&hash_key ^ (uint64_t)(uintptr_t)&malloc;
}

static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static void sip_round(uint64_t v[4]) {
  v[0] += v[1], v[1] = rotate(v[1], 13) ^ v[0], v[0] = rotate(v[0], 32);
  v[2] += v[3], v[3] = rotate(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = rotate(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = rotate(v[1], 17) ^ v[2], v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  sip_round(v);
  v[0] ^= word;
}

/* SipHash-1-3 (Aumasson and Bernstein 2012). */
static uint64_t hash_bytes(const char *bytes, int64_t length) {
  uint64_t v[4] = {hash_key[0] ^ UINT64_C(0x736f6d6570736575), hash_key[1] ^ UINT64_C(0x646f72616e646f6d),
                   hash_key[0] ^ UINT64_C(0x6c7967656e657261), hash_key[1] ^ UINT64_C(0x7465646279746573)};
  int64_t i = 0;
  for (; length - i >= 8; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    sip_word(v, word);
  }
  uint64_t last = (uint64_t)length << 56;
  if (length > i)
    memcpy(&last, bytes + i, (size_t)(length - i));
  sip_word(v, last);
  v[2] ^= 0xff;
  for (int round = 0; round < 3; round++)
    sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The bucket of a string in the table, without its constants, or the free one where it belongs. */
static int64_t *find_bucket(const mlc_objects *table, const mlc_string *string) {
  const size_t mask = table->bucket_count - 1;
  for (size_t i = string->hash & mask;; i = (i + 1) & mask) {
    int64_t *bucket = &table->buckets[i];
    if (!*bucket)
      return bucket;
    const mlc_string *found = &table->strings[*bucket - 1];
    if (found->hash == string->hash && found->length == string->length &&
        memcmp(found->bytes, string->bytes, (size_t)string->length) == 0)
      return bucket;
  }
}

static bool grow_buckets(mlc_objects *table) {
  if (2 * ((size_t)table->string_count + 1) <= table->bucket_count)
    return true;
  const size_t count = table->bucket_count ? 2 * table->bucket_count : 16;
  int64_t *buckets = mlc_objects_take(table, count * sizeof *buckets);
  if (!buckets)
    return false;
  memset(buckets, 0, count * sizeof *buckets);
  mlc_objects_give(table, table->buckets, table->bucket_count * sizeof *buckets);
  table->buckets = buckets;
  table->bucket_count = count;
  for (int64_t i = 0; i < table->string_count; i++)
    *find_bucket(table, &table->strings[i]) = i + 1;
  return true;
}

/* The id of a string that the table has; -1 if it has none. */
static int64_t find_string(const mlc_objects *table, const mlc_string *string) {
  if (!table)
    return -1;
  const int64_t before = table->constants ? table->constants->string_count : 0;
  const int64_t constant = find_string(table->constants, string);
  if (constant >= 0 || !table->bucket_count)
    return constant;
  const int64_t *bucket = find_bucket(table, string);
  return *bucket ? before + *bucket - 1 : -1;
}

int64_t mlc_objects_string(mlc_objects *table, const char *bytes, int64_t length) {
  mlc_string string = {bytes, length, hash_bytes(bytes, length)};
  const int64_t found = find_string(table, &string);
  if (found >= 0)
    return found;
  char *copy = mlc_objects_chunk(table, (size_t)length + 1, 1);
  if (!copy || !mlc_objects_grow(table, (void **)&table->strings, table->string_count, sizeof *table->strings) || !grow_buckets(table))
    return -1;
  if (length)
    memcpy(copy, bytes, (size_t)length);
  copy[length] = 0;
  string.bytes = copy;
  *find_bucket(table, &string) = table->string_count + 1;
  table->strings[table->string_count++] = string;
  return (table->constants ? table->constants->string_count : 0) + table->string_count - 1;
}

const mlc_string *mlc_objects_get_string(const mlc_objects *table, int64_t id) {
  const int64_t before = table->constants ? table->constants->string_count : 0;
  if (id >= 0 && id < before)
    return mlc_objects_get_string(table->constants, id);
  return id >= 0 && id - before < table->string_count ? &table->strings[id - before] : NULL;
}
