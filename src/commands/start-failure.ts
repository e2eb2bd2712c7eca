import { type Config, ConfigError } from '../config/config.ts';
import { StoreError } from '../store/metadata-store.ts';

/** Errors that an operator can fix are one line; others keep their stack. */
export function startFailure(error: unknown, config: Config): unknown {
  if (error instanceof StoreError) return new ConfigError(oneLine(error.message, reasonOf(error.cause)));
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { code } = error;
  if ('syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')) {
    return code === 'EADDRINUSE'
      ? new ConfigError(`port ${config.port} on ${config.host} is in use; set SLUICE_PORT to another one`)
      : new ConfigError(`cannot listen on ${config.host}:${config.port} (${String(code)}); see SLUICE_HOST and SLUICE_PORT`);
  }
  if ('path' in error && typeof error.path === 'string') return new ConfigError(oneLine(error.message));
  if (typeof code === 'string' && code.startsWith('ERR_OSSL')) {
    return new ConfigError(`bad value for SLUICE_TLS_CERT or SLUICE_TLS_KEY: ${oneLine(error.message)}`);
  }
  return error;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', '); // one per address
  return cause instanceof Error ? cause.message : '';
}

const oneLine = (...parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
