import { type Config, ConfigError } from '../config.ts';
import { startService } from '../main.ts';

/** Runs until SIGTERM or SIGINT, then drains and ends with 0. */
export async function serve(config: Config): Promise<void> {
  const service = await startService(config).catch((error: unknown) => {
    throw plain(error, config);
  });
  if (service.generatedPassword !== null) {
    process.stdout.write(`Sign in as admin. This is shown once:\nadmin password: ${service.generatedPassword}\n`);
  }
  process.stdout.write(`Sluice is ready at ${service.url}\n`);

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await service.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

/** What an operator can mend is said in one line; the rest keeps its stack. */
function plain(error: unknown, config: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new ConfigError(`port ${config.port} on ${config.host} is in use; set SLUICE_PORT to another one`);
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new ConfigError(`cannot listen on ${config.host}:${config.port} (${code})`);
  return error;
}
