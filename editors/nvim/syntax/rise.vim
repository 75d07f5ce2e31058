" Colours for RISE where tree-sitter and semantic tokens are not there.

if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_,192-255

syntax keyword riseInclude import
syntax keyword riseDefine def foreign nextgroup=riseDefinition skipwhite
syntax match riseDefinition /\k\+/ contained
syntax keyword riseKeyword let in
syntax keyword riseFunction fun depFun natFun dataFun
syntax keyword riseBoolean true false
syntax keyword riseAddress Global Local Private Constant
syntax keyword riseType bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 natType Array Tuple Vec Idx DepPair
syntax keyword riseKind Nat DataType Scalar Num Int Float AddrSp Nat2Nat Nat2Data
syntax keyword risePrimitive add sub mul div neg mod fma gt lt ge le equal notEqual not and or select cast
syntax keyword risePrimitive indexAsNat natAsIndex generate idx makeArray take drop concat split join transpose
syntax keyword risePrimitive slide assume gather scatter reorder padCst padClamp padEmpty zip unzip makePair
syntax keyword risePrimitive fst snd mapFst mapSnd vectorFromScalar asScalar asVector asVectorAligned mapVec
syntax keyword risePrimitive map mapSeq mapSeqUnroll mapStream iterateStream mapPar mapGlobal mapWorkGroup
syntax keyword risePrimitive mapLocal reduce reducePar reduceSeq reduceSeqUnroll scanSeq iterate
syntax keyword risePrimitive circularBuffer rotateValues toMem oclRun depMapSeq depZip depJoin partition
syntax keyword risePrimitive makeDepPair dmatch
syntax keyword riseHole _

syntax match riseNumber /\<\d\+\%([iu]\%(8\|16\|32\|64\)\|natType\)\?\>/
syntax match riseFloat /\<\d\+\.\d\+\%([eE][-+]\?\d\+\)\?\%(f\%(16\|32\|64\)\?\)\?\>/
syntax match riseFloat /\<\d\+[eE][-+]\?\d\+\%(f\%(16\|32\|64\)\?\)\?\>/
syntax match riseFloat /\<\d\+f\%(16\|32\|64\)\>/
syntax match riseHalf /\._[12]\>/
syntax match riseOperator /|>\|<|\|>>\|<<\|=>\|->\|||\|&&\|[-+*%^!=<>|]\|\/\ze[^/*]/
syntax match riseAnnotation /@\k\+/

syntax region riseString start=/"/ skip=/\\./ end=/"/ oneline
syntax include @riseC syntax/c.vim
unlet! b:current_syntax
syntax region riseForeign matchgroup=riseString start=/"""/ end=/"""/ contains=@riseC keepend

syntax match riseComment +//.*$+ contains=@Spell
syntax match riseDocumentation +///\%(/\)\@!.*$+ contains=@Spell
syntax region riseComment start=+/\*+ end=+\*/+ contains=@Spell

syntax sync fromstart

highlight default link riseInclude Include
highlight default link riseDefine Keyword
highlight default link riseDefinition Function
highlight default link riseKeyword Statement
highlight default link riseFunction Keyword
highlight default link riseBoolean Boolean
highlight default link riseAddress Constant
highlight default link riseType Type
highlight default link riseKind Type
highlight default link risePrimitive Function
highlight default link riseHole Special
highlight default link riseNumber Number
highlight default link riseFloat Float
highlight default link riseHalf Identifier
highlight default link riseOperator Operator
highlight default link riseAnnotation PreProc
highlight default link riseString String
highlight default link riseComment Comment
highlight default link riseDocumentation SpecialComment

let b:current_syntax = 'rise'
