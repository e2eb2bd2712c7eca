/** Why single sign-on failed, by the code in the URL. */
export const signInProblems: Readonly<Record<string, string>> = {
  sign_in_expired: 'The sign-in took too long or was started in another window. Try again.',
  provider_refused: 'Your company refused the sign-in, or you cancelled it. Try again, or ask your company’s IT support.',
  identity_invalid: 'Your company’s sign-in sent an invalid response. Try again. If it keeps happening, tell an administrator.',
  provider_unavailable: 'Your company’s sign-in is not reachable right now. Try again later.',
  no_role: 'You signed in, but you have no role here yet. Ask an administrator for one.',
  name_taken: 'Another account here already has your user name. Ask an administrator to rename it.',
  credential_revoked: 'Your account here is disabled. Ask an administrator.',
  credential_expired: 'Your account here has expired. Ask an administrator to extend it.',
  overloaded: 'Too many people are signing in right now. Try again later.',
  store_unavailable: 'Sign-in is unavailable right now. Try again later.',
};

/** An unknown code gets a generic text: the URL must not choose what the page says. */
export const explainSignInProblem = (code: string): string =>
  Object.hasOwn(signInProblems, code) ? (signInProblems[code] ?? FAILED) : FAILED;

const FAILED = 'Sign-in failed. Try again. If it keeps happening, tell an administrator.';
