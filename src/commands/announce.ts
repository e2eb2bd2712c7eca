/** The only lines on standard output. A generated password stands here and nowhere else. */
export function announce({ url, generatedPassword }: { url: string; generatedPassword: string | null }): void {
  if (generatedPassword !== null) {
    process.stdout.write(`Sign in as admin. This is shown once:\nadmin password: ${generatedPassword}\n`);
  }
  process.stdout.write(`Sluice is ready at ${url}\n`);
}
