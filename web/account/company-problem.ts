/** Why signing in at the company did not work, by the word in the address. */
export const companyProblems: Readonly<Record<string, string>> = {
  sign_in_expired: 'The sign-in took too long, or was begun in another window. Try again.',
  provider_refused: 'Your company did not let you in, or you stopped on the way. Try again, or ask those who run its sign-in.',
  identity_invalid: 'The answer of your company could not be accepted. Try again; if it stays so, tell an administrator.',
  provider_unavailable: 'The sign-in of your company cannot be reached at the moment. Try again in a while.',
  no_role: 'You are known to your company, but nobody has given you a role here. Ask an administrator.',
  name_taken: 'There is another account here with your user name, so yours cannot be made. Ask an administrator to rename it.',
  credential_revoked: 'Your account here is disabled. Ask an administrator.',
  credential_expired: 'Your account here has expired. Ask an administrator to extend it.',
  overloaded: 'Many people are signing in at the moment. Try again in a while.',
  store_unavailable: 'The service cannot sign anyone in at the moment. Try again in a while.',
};

/** A word that nobody gave out says no more than that it failed: an address must not put words into our mouth. */
export const companyProblem = (word: string): string =>
  Object.hasOwn(companyProblems, word) ? (companyProblems[word] ?? FAILED) : FAILED;

const FAILED = 'Signing in did not work. Try again; if it stays so, tell an administrator.';
