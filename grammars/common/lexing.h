// What the scanners of all grammars are made of: blanks, comments, and what tree-sitter calls.

#ifndef RISE_LEXING_H_
#define RISE_LEXING_H_

#include "tree_sitter/parser.h"

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

// What tree-sitter calls in the scanner of a language; `scanned` says, of `lexer` and `valid`,
// whether there is a token. The scanner remembers nothing.
#define SCANNER_OF(language, scanned)                                                              \
  bool tree_sitter_##language##_external_scanner_scan(void *payload, TSLexer *lexer,               \
                                                      const bool *valid) {                         \
    (void)payload;                                                                                 \
    return scanned;                                                                                \
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
