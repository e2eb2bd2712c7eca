/** The only lines on standard output. A generated password is never written anywhere else. */
export const announcePassword = (password: string): void => {
  process.stdout.write(`Sign in as admin. This is shown once:\nadmin password: ${password}\n`);
};

export const announceReady = (url: string): void => {
  process.stdout.write(`Sluice is ready at ${url}\n`);
};
