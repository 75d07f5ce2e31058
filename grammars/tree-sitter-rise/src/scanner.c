// Ends what is still open where the next item begins; the two grammars have this in common.

#include "../../common/scanner.h"

SCANNER_OF(rise, scan(lexer, valid, false))
