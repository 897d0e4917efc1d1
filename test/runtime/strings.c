/* Calls the runtime's functions on strings with unusual strings. Failures leave through mlc_host_fail_text. */
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects/object_calls.h"

enum { ODD = 9, MANY = 30000 };

static jmp_buf failed;
static const char *message;

void mlc_host_fail_text(int64_t op, const char *text) {
  (void)op;
  message = text;
  longjmp(failed, 1);
}

/* No call runs. */
void mlc_host_each_memory(mlc_visit *visit, void *context) { (void)visit, (void)context; }
size_t mlc_host_live_bytes(void) { return 0; }
uint64_t mlc_host_call_id(void) { return 0; }

static mlc_objects table;
static int64_t odd[ODD];

/* Copies of exactly their bytes, so that the sanitizer finds reads beyond one. */
static void add_odd(void) {
  static const char *const texts[ODD] = {"", "\xff", "\xc3", "\xe2\x80", "a,b,", ",", "\xf0\x9f\x98\x80", "\xed\xa0\x80", "\xc2\xa0 x"};
  for (int i = 0; i < ODD; i++) {
    const size_t length = strlen(texts[i]);
    char *copy = malloc(length ? length : 1);
    memcpy(copy, texts[i], length);
    odd[i] = mlc_objects_string(&table, copy, (int64_t)length);
    free(copy);
  }
}

static void test_odd_bytes(void) {
  int64_t result[ODD], counts[ODD], order[ODD], scalars[] = {0, 8, 1, ODD, 8, 1, ODD, 8, 1, ODD};
  mlc_call_string_concat((void *[]){odd, odd, result}, scalars);
  for (int i = 0; i < ODD; i++)
    assert(mlc_call_get_string(result[i])->length == 2 * mlc_call_get_string(odd[i])->length);
  int32_t letters[] = {'a', 'A', 0, 0, 0xe4, 'x', 'y', 'z'};
  mlc_call_string_case((void *[]){odd, letters, result}, (int64_t[]){0, 8, 1, ODD, 6, 2, 2, 4, 8, 1, ODD});
  assert(memcmp(mlc_call_get_string(result[4])->bytes, "A,b,", 5) == 0);
  assert(result[1] == odd[1] && result[3] == odd[3]);
  int32_t several[] = {',', 0, 0, 0, 'a', 'x', 'y', 'z', 'b', 'c', 0, 0};
  mlc_call_string_case((void *[]){odd, several, result}, (int64_t[]){0, 8, 1, ODD, 6, 2, 3, 4, 8, 1, ODD});
  assert(memcmp(mlc_call_get_string(result[4])->bytes, "xyzc", 5) == 0 && mlc_call_get_string(result[4])->length == 4);
  for (int i = 0; i < 2; i++) {
    int64_t delimiter = i ? odd[5] : 0;
    mlc_call_string_split_count((void *[]){odd, &delimiter, counts}, (int64_t[]){0, -1, 8, 1, ODD, 8, 0, 7, 1, ODD});
    assert(counts[0] == i && counts[4] == (i ? 3 : 1) && counts[8] == 1);
  }
  mlc_call_string_order((void *[]){odd, order}, (int64_t[]){0, 8, 1, ODD, 7, 1, ODD});
  assert(order[0] == 0 && order[1] == ODD - 1);
}

static void test_many(void) {
  static int64_t strings[MANY], again[MANY];
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < MANY; i++) {
      char text[16];
      const int length = snprintf(text, sizeof text, "%d", i);
      (pass ? again : strings)[i] = mlc_objects_string(&table, text, length);
    }
  assert(memcmp(strings, again, sizeof strings) == 0);
}

/* An automaton that accepts nothing, as a separator: strings of two letters and more are left whole. */
static void test_tokens(void) {
  static int32_t searcher[8 + 256 + 2] = {1, 1, 0};
  int64_t counts[ODD], marks[] = {odd[5], odd[4], odd[6]}, dims[] = {ODD, 3}, tokens[3 * ODD];
  int64_t taken[] = {0, 1, 2, 8, 1, ODD, 6, 1, 266, 7, 1, ODD};
  mlc_call_string_token_count((void *[]){odd, searcher, counts}, taken);
  assert(counts[0] == 0 && counts[1] == 0 && counts[3] == 1 && counts[4] == 1 && counts[6] == 0 && counts[7] == 0);
  int64_t filled[] = {0, 1, 2, 8, 1, ODD, 6, 1, 266, 8, 1, 3, 7, 1, 2, 8, 2, ODD, 3};
  mlc_call_string_tokens((void *[]){odd, searcher, marks, dims, tokens}, filled);
  assert(tokens[0] == odd[5] && tokens[1] == odd[4] && tokens[2] == odd[6]);
  assert(tokens[12] == odd[5] && tokens[13] == odd[4] && tokens[14] == odd[4]);
}

/* An expression that matches nothing but "": a token before each letter, where tokens may be empty. */
static void test_empty_tokens(void) {
  static int32_t searcher[8 + 256 + 2 + 2] = {2, 1, 1, [264] = 15, 0, 1, 1};
  int64_t counts[ODD], taken[] = {0, 0, 0, 8, 1, ODD, 6, 1, 268, 7, 1, ODD};
  mlc_call_string_token_count((void *[]){odd, searcher, counts}, taken);
  assert(counts[0] == 0 && counts[4] == 4 && counts[6] == 1);
}

/* The message of a call that must fail. */
#define FAILURE(CALL) (setjmp(failed) ? message : ((CALL), "none"))

/* The quoted text of a string that is not numeric, in a message. */
static void expect_quoted(const char *text, int64_t length, const char *shown) {
  int64_t id = mlc_objects_string(&table, text, length);
  double value;
  char expected[400];
  snprintf(expected, sizeof expected, "element 0, %s, is not numeric", shown);
  assert(!strcmp(FAILURE(mlc_call_string_to_float((void *[]){&id, &value}, (int64_t[]){0, 8, 0, 11, 0})), expected));
}

static void test_quotes(void) {
  static const char *const shown[ODD] = {"''", "'\\xff'", "'\\xc3'", "'\\xe2\\x80'", "'a,b,'", "','",
                                         "'\xf0\x9f\x98\x80'", "'\\xed\\xa0\\x80'", "'\xc2\xa0 x'"};
  char many[161], text[200] = "'";
  for (int i = 0; i < ODD; i++) {
    const mlc_string *string = mlc_call_get_string(odd[i]);
    expect_quoted(string->bytes, string->length, shown[i]);
  }
  expect_quoted("\0\n\x1b[31m'\\", 9, "'\\x00\\x0a\\x1b[31m\\x27\\x5c'");
  expect_quoted("\xc2\x9b\xe2\x80\xae\x7f", 6, "'\\xc2\\x9b\\xe2\\x80\\xae\\x7f'");
  memset(many, 0xff, sizeof many);
  for (int i = 0; i < 40; i++)
    strcat(text, "\\xff");
  expect_quoted(many, 40, strcat(text, "'"));
  expect_quoted(many, 41, strcat(text, "..."));
  strcpy(text, "'");
  for (int i = 0; i < 40; i++)
    memcpy(many + 4 * i, "\xf0\x9f\x98\x80", 4), strcat(text, "\xf0\x9f\x98\x80");
  expect_quoted(many, 161, strcat(text, "'..."));
}

/* Tables of the right size with classes and states that do not exist. */
static void test_tables(void) {
  static int32_t matcher[2 + 256 + 2], searcher[8 + 256 + 2];
  int64_t id = odd[4], count, match[] = {0, 8, 0, 6, 1, 260, 9, 0}, tokens[] = {0, 0, 1, 8, 0, 6, 1, 266, 7, 0};
  uint8_t flag;
  for (int wrong = -1; wrong <= 1 << 20; wrong += (1 << 20) + 1)
    for (int at = 0; at < 2; at++) {
      matcher[0] = matcher[1] = searcher[0] = searcher[1] = 1, searcher[2] = -1;
      const int match_at = at ? 259 : 2 + 'a', search_at = at ? 265 : 8 + 'a';
      matcher[match_at] = searcher[search_at] = wrong;
      const char *found = FAILURE(mlc_call_string_match((void *[]){&id, matcher, &flag}, match));
      assert(strstr(found, "not that of an automaton"));
      found = FAILURE(mlc_call_string_token_count((void *[]){&id, searcher, &count}, tokens));
      assert(strstr(found, "not that of an automaton"));
      matcher[match_at] = searcher[search_at] = 0;
    }
  searcher[3] = 1; /* where a text begins */
  assert(strstr(FAILURE(mlc_call_string_token_count((void *[]){&id, searcher, &count}, tokens)), "not that of an"));
}

static void test_failures(void) {
  int64_t id = odd[4], comma = odd[5], dims[] = {1, 2}, parts[2], wrong[] = {-1, INT64_MAX};
  int32_t short_table[3] = {1, 1, 0};
  double value;
  uint8_t flag;
  int64_t split[] = {0, -1, 8, 1, 1, 8, 0, 7, 1, 2, 8, 2, 1, 2};
  assert(strstr(FAILURE(mlc_call_string_split((void *[]){&id, &comma, dims, parts}, split)), "more parts"));
  int64_t match[] = {0, 8, 0, 6, 1, 3, 9, 0};
  assert(strstr(FAILURE(mlc_call_string_match((void *[]){&id, short_table, &flag}, match)), "not that of an automaton"));
  int64_t count, tokens[] = {0, 0, 1, 8, 0, 6, 1, 3, 7, 0};
  assert(strstr(FAILURE(mlc_call_string_token_count((void *[]){&id, short_table, &count}, tokens)), "not that of an"));
  test_tables();
  int64_t scalar[] = {0, 8, 0, 11, 0};
  assert(strstr(FAILURE(mlc_call_string_to_float((void *[]){&id, &value}, scalar)), "not numeric"));
  test_quotes();
  for (int i = 0; i < 2; i++)
    assert(strstr(FAILURE(mlc_call_string_to_float((void *[]){&wrong[i], &value}, scalar)), "not the id of a string"));
  assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
  assert(strstr(FAILURE(mlc_call_scratch(SIZE_MAX / 2, 16)), "no memory"));
}

int main(void) {
  mlc_current_objects = &table;
  mlc_objects_string(&table, "", 0);
  add_odd();
  test_odd_bytes();
  test_many();
  test_tokens();
  test_empty_tokens();
  test_failures();
  mlc_objects_clear(&table);
  puts("done");
  return 0;
}
