// Finds where items begin: their first words tell, and newlines for the main expression only.
//
// A word such as `rule` or `strategy`, an attribute, or the end of the file cuts off what is still
// open before it, as in RISE. And behind a complete expression a name, or a `(`, at the start of a
// line begins the main expression, since nothing joins it to what stands before it. Further right
// an operator is missing. The `(` of a call touches what is called.

#include <string.h>

#include "../../common/lexing.h"

/// What the grammar calls `externals`, in the same order.
enum Token {
  MISSING_OPERAND,
  MISSING_CLOSE,
  NEVER,
  MAIN_START,
  ATTRIBUTE_START,
  CALL,
  NATIVE_END,
  OR_NAME,
  RANGE_END,
  RULE_DUE,
  OPERAND_END,
};

/// Longer words than the longest reserved one are cut, and so are not taken for one.
#define LONGEST 16

static const char *const ITEMS[] = {
    "import", "rule", "unsafe", "strategy", "def", "val", "pred", "normalform", "tune", "example",
    "language", "traversal", NULL};

/// Reserved words that are no operands.
static const char *const RESERVED[] = {
    "foreign", "let", "in", "match", "case", "then", "else", "where", "requires", "assuming", "Nat",
    "DataType", "Scalar", "Num", "Int", "Float", "AddrSp", "Nat2Nat", "Nat2Data", NULL};

/// Reserved words that are operands, and begin no main expression behind another operand.
static const char *const OPERANDS[] = {
    "_", "depFun", "natFun", "dataFun", "true", "false", "bool", "i8", "i16", "i32", "i64",
    "u8", "u16", "u32", "u64", "f16", "f32", "f64", "natType", "Array", "Tuple", "Vec", "Idx",
    "DepPair", "Global", "Local", "Private", "Constant", NULL};

/// Names that stand between operands, as operators do; and between the sizes of a range.
static const char *const JOINING[] = {"and", "or", "divides", "notIn", NULL};
static const char *const STEPS[] = {"step", "pow", NULL};

static const char *const OPERATORS[] = {";", ";;", "@", "<+", NULL};

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++) {
    if (strcmp(word, *words) == 0) return true;
  }
  return false;
}

/// Beyond ASCII everything but the signs of the language counts as a letter.
static bool begins_name(int32_t c) {
  bool digit = c >= '0' && c <= '9';
  bool quote = (c >= 0x2018 && c <= 0x201b) || c == 0x2032 || c == 0xb4;
  return continues_word(c) && !digit && !quote && c != 0x21a6;
}

/// Reads the word that follows into `word`, which has room for LONGEST characters and the end.
static void read_word(TSLexer *lexer, char *word) {
  int length = 0;
  for (; continues_word(lexer->lookahead); lexer->advance(lexer, true)) {
    if (length < LONGEST) word[length++] = lexer->lookahead < 0x80 ? (char)lexer->lookahead : '?';
  }
  word[length] = '\0';
}

/// Whether a name in backquotes follows, and no operator in them.
static bool at_quoted_name(TSLexer *lexer) {
  char inside[4];
  int length = 0;
  bool blank = false;
  lexer->advance(lexer, true);
  for (; lexer->lookahead != '`'; lexer->advance(lexer, true)) {
    if (lexer->eof(lexer) || lexer->lookahead == '\n') return false;
    if (is_space(lexer->lookahead)) {
      blank = length > 0;
    } else if (length < 3) {
      inside[length++] = lexer->lookahead < 0x80 && !blank ? (char)lexer->lookahead : '?';
    }
  }
  inside[length] = '\0';
  return !is_one_of(inside, OPERATORS);
}

/// Whether a sign follows with which an expression begins that has nothing before it.
static bool at_operand(TSLexer *lexer) {
  int32_t c = lexer->lookahead;
  return c == '[' || c == '"' || c == '-' || c == '!' || (c >= '0' && c <= '9');
}

/// What may begin where an item may: a main expression, another item (or the end), or nothing.
enum Begins { NOTHING, MAIN, ITEM };

static enum Begins word_begins(TSLexer *lexer, const bool *valid) {
  char word[LONGEST + 1];
  read_word(lexer, word);
  if (strcmp(word, "rule") == 0) {
    if (valid[RULE_DUE]) return NOTHING;
    return skip_trivia(lexer) && lexer->lookahead == '{' ? MAIN : ITEM;
  }
  if (is_one_of(word, ITEMS)) return ITEM;
  if (is_one_of(word, JOINING) || is_one_of(word, RESERVED)) return NOTHING;
  if (valid[RANGE_END] && is_one_of(word, STEPS)) return NOTHING;
  return valid[OPERAND_END] && is_one_of(word, OPERANDS) ? NOTHING : MAIN;
}

static enum Begins begins(TSLexer *lexer, const bool *valid, bool behind_blank) {
  if (lexer->eof(lexer)) return ITEM;
  if (begins_name(lexer->lookahead)) return word_begins(lexer, valid);
  if (!valid[OPERAND_END] && at_operand(lexer)) return MAIN;
  switch (lexer->lookahead) {
    case '(': return behind_blank ? MAIN : NOTHING;
    case '`': return at_quoted_name(lexer) ? MAIN : NOTHING;
    case '?': lexer->advance(lexer, true); return begins_name(lexer->lookahead) ? MAIN : NOTHING;
    default: return NOTHING;
  }
}

/// Whether an `@` follows that touches a name, and not what stands before it.
static bool at_attribute(TSLexer *lexer, bool behind_blank) {
  if (lexer->lookahead != '@') return false;
  lexer->advance(lexer, false);
  return behind_blank && begins_name(lexer->lookahead);
}

static bool found(TSLexer *lexer, enum Token token) {
  lexer->result_symbol = token;
  return true;
}

/// What is missing before the next item, or before a main expression.
static bool scan_missing(TSLexer *lexer, const bool *valid, enum Begins what) {
  if (valid[OR_NAME]) return false;
  if (valid[NATIVE_END]) return found(lexer, NATIVE_END);
  if (what == MAIN) return false;
  if (valid[MISSING_CLOSE]) return found(lexer, MISSING_CLOSE);
  return valid[MISSING_OPERAND] && found(lexer, MISSING_OPERAND);
}

/// Behind a comment only what is missing is looked for: comments do not belong to the others.
static bool scan_behind_comment(TSLexer *lexer, const bool *valid) {
  if (valid[ATTRIBUTE_START] || !skip_trivia(lexer)) return false;
  enum Begins what = at_attribute(lexer, true) ? ITEM : begins(lexer, valid, true);
  return what != NOTHING && scan_missing(lexer, valid, what);
}

static bool scan_attribute(TSLexer *lexer, const bool *valid, bool behind_blank) {
  if (!at_attribute(lexer, behind_blank)) return false;
  if (!valid[ATTRIBUTE_START]) return scan_missing(lexer, valid, ITEM);
  lexer->mark_end(lexer);
  return found(lexer, ATTRIBUTE_START);
}

static bool scan(TSLexer *lexer, const bool *valid) {
  // What is missing is missing before the blanks; everything else begins behind them.
  lexer->mark_end(lexer);
  bool behind_blank = lexer->get_column(lexer) == 0;
  for (; is_space(lexer->lookahead); behind_blank = true) lexer->advance(lexer, true);
  if (lexer->lookahead == '@') return scan_attribute(lexer, valid, behind_blank);
  // Only while tree-sitter recovers from an error is every token possible.
  if (valid[NEVER]) return false;
  if (lexer->lookahead == '/') return scan_behind_comment(lexer, valid);
  if (lexer->lookahead == '(' && valid[CALL] && !behind_blank) {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    return found(lexer, CALL);
  }
  // An operand that is due, or that may follow, is no main expression.
  bool main = valid[MAIN_START] && !valid[MISSING_OPERAND] && !valid[OR_NAME];
  // Behind an operand only the start of a line begins one.
  if (valid[OPERAND_END] && lexer->get_column(lexer) > 0) main = false;
  if (main) lexer->mark_end(lexer);
  switch (begins(lexer, valid, behind_blank)) {
    case MAIN: return main ? found(lexer, MAIN_START) : scan_missing(lexer, valid, MAIN);
    case ITEM: return scan_missing(lexer, valid, ITEM);
    default: return false;
  }
}

SCANNER_OF(elevate, scan(lexer, valid))
