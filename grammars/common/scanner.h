// Ends what is still open where the next item begins, in RISE and in DPIA.
//
// `import`, `def`, `foreign` and `@` never stand inside an expression. Where one of them, or the
// end of the file, comes while a parenthesis is open or an operand is due, the grammar takes an
// empty token in the place of what is missing. So a half-typed definition is a tree of its own,
// however deep it nests, and nothing of it spills into the next one.

#ifndef RISE_SCANNER_H_
#define RISE_SCANNER_H_

#include "tree_sitter/parser.h"

enum Token { MISSING_OPERAND, MISSING_CLOSE, NEVER, SEQUENCE_END };

static bool is_space(int32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool continues_word(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c >= 0x80;
}

/// Skips blanks and comments. Whether what follows may begin an item.
static bool skip_trivia(TSLexer *lexer) {
  for (;;) {
    while (is_space(lexer->lookahead)) lexer->advance(lexer, true);
    if (lexer->lookahead != '/') return true;
    lexer->advance(lexer, true);
    if (lexer->lookahead == '/') {
      while (!lexer->eof(lexer) && lexer->lookahead != '\n') lexer->advance(lexer, true);
    } else if (lexer->lookahead == '*') {
      lexer->advance(lexer, true);
      for (int32_t last = 0; last != '*' || lexer->lookahead != '/';) {
        if (lexer->eof(lexer)) return false;
        last = lexer->lookahead;
        lexer->advance(lexer, true);
      }
      lexer->advance(lexer, true);
    } else {
      return false;
    }
  }
}

/// Whether exactly `word` follows.
static bool at_word(TSLexer *lexer, const char *word) {
  for (; *word; word++) {
    if (lexer->lookahead != *word) return false;
    lexer->advance(lexer, true);
  }
  return !continues_word(lexer->lookahead);
}

static bool at_item_or_end(TSLexer *lexer) {
  if (!skip_trivia(lexer)) return false;
  if (lexer->eof(lexer)) return true;
  switch (lexer->lookahead) {
    case '@': return true;
    case 'd': return at_word(lexer, "def");
    case 'i': return at_word(lexer, "import");
    case 'f': return at_word(lexer, "foreign");
    default: return false;
  }
}

/// `sequences` says whether the language has sequences, and so the last of the tokens.
static bool scan(TSLexer *lexer, const bool *valid, bool sequences) {
  // Only while tree-sitter recovers from an error is every token possible.
  if (valid[NEVER] || !(valid[MISSING_CLOSE] || valid[MISSING_OPERAND])) return false;
  lexer->mark_end(lexer);
  if (!at_item_or_end(lexer)) return false;
  lexer->result_symbol = valid[MISSING_CLOSE]                ? MISSING_CLOSE
                         : sequences && valid[SEQUENCE_END] ? SEQUENCE_END
                                                            : MISSING_OPERAND;
  return true;
}

// What tree-sitter calls in the scanner of a language. The scanner remembers nothing.
#define SCANNER_OF(language, sequences)                                                            \
  bool tree_sitter_##language##_external_scanner_scan(void *payload, TSLexer *lexer,               \
                                                      const bool *valid) {                         \
    (void)payload;                                                                                 \
    return scan(lexer, valid, sequences);                                                          \
  }                                                                                                \
  void *tree_sitter_##language##_external_scanner_create(void) { return NULL; }                    \
  void tree_sitter_##language##_external_scanner_destroy(void *payload) { (void)payload; }         \
  void tree_sitter_##language##_external_scanner_deserialize(void *payload, const char *buffer,    \
                                                             unsigned length) {                    \
    (void)payload;                                                                                 \
    (void)buffer;                                                                                  \
    (void)length;                                                                                  \
  }                                                                                                \
  unsigned tree_sitter_##language##_external_scanner_serialize(void *payload, char *buffer) {      \
    (void)payload;                                                                                 \
    (void)buffer;                                                                                  \
    return 0;                                                                                      \
  }

#endif
