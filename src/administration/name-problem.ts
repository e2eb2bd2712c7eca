const MAX_NAME_LENGTH = 100;

/** Why the name of a user, role or key is not accepted, for the person who chose it. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'It must not be empty.';
  if (name.trim() !== name) return 'It must not begin or end with a space.';
  return lineProblem(name, MAX_NAME_LENGTH);
}

export function usernameProblem(username: string): string | null {
  // Basic credentials separate name and password by the first colon
  if (username.includes(':')) return 'A user name must not contain a colon.';
  // otherwise two accounts could have names that nobody can tell apart
  if (/\p{Default_Ignorable_Code_Point}/u.test(username)) return 'A user name must not contain invisible characters.';
  return nameProblem(username);
}

/** One line of plain text: PostgreSQL does not store NUL. */
export function lineProblem(text: string, max: number): string | null {
  if ([...text].length > max) return `Expected at most ${max} characters.`;
  return /\p{Cc}/u.test(text) || !text.isWellFormed() ? 'It must not contain control characters.' : null;
}
