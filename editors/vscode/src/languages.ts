// The languages that the server reads.

/** Those whose definitions run, and become other code. */
export const PROGRAMS: readonly string[] = ["rise", "dpia"];

/** Their names in the editor, which are the ends of their files' names. */
export const LANGUAGES: readonly string[] = [...PROGRAMS, "elevate"];

/** Whether a document of this language holds programs, and not only strategies for them. */
export function isProgram(language: string | undefined): boolean {
  return language !== undefined && PROGRAMS.includes(language);
}
