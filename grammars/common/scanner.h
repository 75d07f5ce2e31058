// Ends what is still open where the next item begins, in RISE and in DPIA.
//
// `import`, `def`, `foreign` and `@` never stand inside an expression. Where one of them, or the
// end of the file, comes while a parenthesis is open or an operand is due, the grammar takes an
// empty token in the place of what is missing. So a half-typed definition is a tree of its own,
// however deep it nests, and nothing of it spills into the next one.

#ifndef RISE_SCANNER_H_
#define RISE_SCANNER_H_

#include "lexing.h"

enum Token { MISSING_OPERAND, MISSING_CLOSE, NEVER, SEQUENCE_END };

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

#endif
