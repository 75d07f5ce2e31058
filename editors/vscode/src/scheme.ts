// The documents that show a program after some steps of a strategy. The server reads them as files
// that stand beside the program, so that their imports are found.

export const STEP_SCHEME = "rise-step";

/** Documents that show whole results of runs. */
export const RESULT_SCHEME = "rise-result";

/** Documents that say what a rewrite did. */
export const EXPLAIN_SCHEME = "rise-explain";
