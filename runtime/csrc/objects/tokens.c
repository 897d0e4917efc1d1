/* Functions that divide strings into tokens by regular expressions. */
#include "objects/object_calls.h"

enum { HEAD = 8, BYTES = 256 };
/* The class of what is next to a position, as in mlc.frontends.regex.automaton. */
enum { EDGE, NEWLINE, WORD, OTHER };

/* A deterministic automaton that searches; `dead` is the state in which nothing more is accepted, or -1. */
typedef struct {
  mlc_automaton automaton;
  int64_t dead, words;
  const int32_t *starts, *accepts;
} searcher;

/* A text, of which tokens are taken or counted. */
typedef struct {
  const int32_t *tables, *end;
  int64_t least;    /* characters of a token */
  int64_t *tokens;  /* or NULL, to count them */
  int64_t count, room;
} tokenizer;

static searcher read_searcher(const int32_t *table, const int32_t *end) {
  if (end - table < HEAD + BYTES)
    mlc_automaton_fail();
  const int64_t states = table[0], classes = table[1], words = HEAD + BYTES + states * (1 + classes);
  if (states < 1 || classes < 1 || end - table < words)
    mlc_automaton_fail();
  const int32_t *class_of = table + HEAD, *accepts = class_of + BYTES;
  const searcher s = {{states, classes, class_of, accepts + states}, table[2], words, table + 3, accepts};
  for (int before = EDGE; before <= OTHER; before++)
    if (s.starts[before] < 0 || s.starts[before] >= states)
      mlc_automaton_fail();
  return s;
}

static int around(uint8_t byte) {
  const bool is_word = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
  return byte == '\n' ? NEWLINE : is_word || byte == '_' ? WORD : OTHER;
}

/* The length of the longest match that begins at `at`, or -1. */
static int64_t match_at(const searcher *s, const char *text, int64_t length, int64_t at) {
  int64_t found = -1, state = s->starts[at == 0 ? EDGE : around((uint8_t)text[at - 1])];
  for (int64_t next = at; state != s->dead; next++) {
    const int after = next == length ? EDGE : around((uint8_t)text[next]);
    if (s->accepts[state] >> after & 1)
      found = next - at;
    if (next == length)
      break;
    state = mlc_automaton_step(&s->automaton, state, (uint8_t)text[next]);
  }
  return found;
}

static int64_t letter_bytes(const char *text, int64_t length, int64_t at) {
  int bytes = 1;
  mlc_read_code((const unsigned char *)text + at, (const unsigned char *)text + length, &bytes);
  return bytes;
}

/* The first match from `*at` on, whose length it returns; -1 if there is none. */
static int64_t search(const searcher *s, const char *text, int64_t length, int64_t *at) {
  while (*at <= length) {
    const int64_t found = match_at(s, text, length, *at);
    if (found >= 0)
      return found;
    *at += *at == length ? 1 : letter_bytes(text, length, *at);
  }
  return -1;
}

static bool is_long(const tokenizer *t, const char *text, int64_t length) {
  int64_t letters = 0;
  for (int64_t at = 0; at < length && letters < t->least; letters++)
    at += letter_bytes(text, length, at);
  return letters >= t->least;
}

static void take(tokenizer *t, const char *text, int64_t length) {
  if (t->tokens && t->count == t->room)
    mlc_call_fail("a string has more tokens than were counted");
  if (t->tokens)
    t->tokens[t->count] = mlc_call_string(text, length);
  t->count++;
}

/* Takes what is left between the matches of the first separator, divided by the other ones. An empty match removes the
 * letter after it. */
static void take_between(tokenizer *t, const int32_t *table, const char *text, int64_t length) {
  if (!is_long(t, text, length))
    return;
  if (table == t->end) {
    take(t, text, length);
    return;
  }
  const searcher s = read_searcher(table, t->end);
  for (int64_t begin = 0; begin < length;) {
    int64_t at = begin, matched = search(&s, text, length, &at);
    take_between(t, table + s.words, text + begin, (matched < 0 ? length : at) - begin);
    if (matched < 0)
      return;
    begin = at + (matched ? matched : at == length ? 1 : letter_bytes(text, length, at));
  }
}

/* Takes the matches of one expression that are long enough. */
static void take_matches(tokenizer *t, const char *text, int64_t length) {
  const searcher s = read_searcher(t->tables, t->end);
  for (int64_t at = 0; at < length;) {
    const int64_t matched = search(&s, text, length, &at);
    if (matched < 0)
      return;
    const bool is_token = is_long(t, text + at, matched);
    if (is_token)
      take(t, text + at, matched);
    if (is_token && matched)
      at += matched;
    else if (at < length)
      at += letter_bytes(text, length, at);
  }
}

static void run(tokenizer *t, int64_t id, bool by_separators) {
  const mlc_string *string = mlc_call_get_string(id);
  t->count = 0;
  if (by_separators)
    take_between(t, t->tables, string->bytes, string->length);
  else
    take_matches(t, string->bytes, string->length);
}

static tokenizer of(const mlc_view *table, const int64_t *options) {
  const int32_t *tables = table->data;
  return (tokenizer){.tables = tables, .end = tables + table->count, .least = options[1]};
}

/* (x, table) {by separators, least characters} -> the number of tokens of each string. */
void mlc_call_string_token_count(void **buffers, int64_t *scalars) {
  mlc_view views[3];
  const int64_t *options = mlc_read_call(buffers, scalars, 2, views, 3);
  tokenizer t = of(&views[1], options);
  for (int64_t i = 0; i < views[2].count; i++) {
    run(&t, ((const int64_t *)views[0].data)[i], options[0]);
    ((int64_t *)views[2].data)[i] = t.count;
  }
}

/* (x, table, around, dims) {by separators, least characters} -> the tokens of each string along a last dim; `around` are
 * what precedes and follows them, both left out where they are empty, and what fills up the rest. */
void mlc_call_string_tokens(void **buffers, int64_t *scalars) {
  mlc_view views[5];
  const int64_t *options = mlc_read_call(buffers, scalars, 2, views, 5);
  const int64_t *x = views[0].data, *marks = views[2].data, width = views[4].rank ? views[4].sizes[views[4].rank - 1] : 1;
  const int64_t marked = marks[0] != 0;
  int64_t *result = views[4].data;
  if (views[0].count * width != views[4].count || (width && width < 2 * marked))
    mlc_call_fail("the result is not of the strings' dims and one more");
  tokenizer t = of(&views[1], options);
  for (int64_t i = 0; width && i < views[0].count; i++, result += width) {
    t.tokens = result + marked;
    t.room = width - 2 * marked;
    run(&t, x[i], options[0]);
    if (marked)
      result[0] = marks[0], result[t.count + 1] = marks[1];
    for (int64_t rest = t.count + 2 * marked; rest < width; rest++)
      result[rest] = marks[2];
  }
}
