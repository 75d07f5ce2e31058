" Colours for DPIA where tree-sitter and semantic tokens are not there: those of RISE, and more words.

if exists('b:current_syntax')
  finish
endif

runtime! syntax/rise.vim

syntax keyword riseKeyword if else skip
syntax keyword riseType Exp Acc Comm
syntax keyword riseKind ReadWrite
syntax keyword riseAddress Rd Wr St
syntax keyword risePrimitive depIdx idxVec zipStream assign seq new newDoubleBuffer for forUnroll forVec
syntax keyword risePrimitive forNat parFor parForGlobal parForWorkGroup parForLocal parForNat parReduce
syntax keyword risePrimitive barrier oclRunCommand dmatchCommand depPairFst idxAcc joinAcc splitAcc
syntax keyword risePrimitive transposeAcc zipAcc1 zipAcc2 unzipAcc pairAcc pairAcc1 pairAcc2 takeAcc dropAcc
syntax keyword risePrimitive reorderAcc scatterAcc asScalarAcc asVectorAcc idxVecAcc mapAcc mapFstAcc
syntax keyword risePrimitive mapSndAcc depIdxAcc depJoinAcc depPairSndAcc

let b:current_syntax = 'dpia'
