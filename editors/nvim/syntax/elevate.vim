" Colours for ELEVATE where tree-sitter and semantic tokens are not there: those of RISE, and more.

if exists('b:current_syntax')
  finish
endif

runtime! syntax/rise.vim

syntax keyword riseDefine unsafe nextgroup=riseDefine skipwhite
syntax keyword riseDefine rule strategy val pred normalform tune nextgroup=riseDefinition,elevateName skipwhite
syntax keyword riseDefine example language traversal
syntax keyword riseKeyword match case if then else with where requires assuming
syntax keyword riseType Strategy Traversal Pred Rule Result Expr Type List Bool String Addr
syntax keyword elevateCombinator id fail try repeat normalize all one some topDown bottomUp allTopDown
syntax keyword elevateCombinator allBottomUp tryAll outermost innermost every everywhere body function argument
syntax keyword elevateCombinator argumentOf fmap at nth position
syntax keyword elevateResult Success Failure
syntax keyword riseOperator divides notIn

" Words only where they cannot be names.
syntax match riseKeyword /\<\%(input\|apply\|expect\|modulo\)\>\ze\s\+\S/
syntax match riseKeyword /\<rise\>\ze\s*{/
syntax match elevateResult /\%(\<expect\s\+\)\@<=\%(failure\|trace\)\>/

syntax match riseOperator /|->\|↦\|<+\|;;\?\|::/
syntax match riseOperator /@/
syntax match riseAnnotation /\%(^\|\s\)\zs@\k\+/
syntax match elevateMetavariable /?\k\+/
syntax match elevateName /`[^`]*`/
syntax match riseOperator /`\s*\%(;;\?\|@\|<+\)\s*`/

highlight default link elevateCombinator Function
highlight default link elevateResult Constant
highlight default link elevateMetavariable Identifier
highlight default link elevateName Function

let b:current_syntax = 'elevate'
