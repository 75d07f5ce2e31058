; inherits: rise

((identifier) @function.builtin
  (#any-of? @function.builtin
    "new" "newDoubleBuffer" "for" "forUnroll" "forVec" "forNat" "parFor" "parForGlobal"
    "parForWorkGroup" "parForLocal" "parForNat" "barrier" "comment" "idxAcc" "joinAcc" "splitAcc"
    "transposeAcc" "zipAcc1" "zipAcc2" "unzipAcc" "pairAcc" "pairAcc1" "pairAcc2" "takeAcc"
    "dropAcc" "reorderAcc" "scatterAcc" "asScalarAcc" "asVectorAcc" "mapAcc" "mapFstAcc"
    "mapSndAcc" "depIdxAcc" "depJoinAcc"))

["Exp" "Acc"] @type.builtin
(command_type) @type.builtin
(access) @constant.builtin

["if" "else"] @keyword.conditional
(skip) @keyword

";" @punctuation.delimiter
