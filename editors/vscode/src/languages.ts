// The languages that the server reads.

/** Their names in the editor, which are the ends of their files' names. */
export const LANGUAGES: readonly string[] = ["rise", "dpia"];

/** Whether a document of this language is one for the server. */
export function isServed(language: string | undefined): boolean {
  return language !== undefined && LANGUAGES.includes(language);
}
