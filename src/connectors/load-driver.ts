import { ConnectorError } from './connector.ts';

/** Imports code that needs an engine's driver. A driver that is missing or does not load disables its engine, not the service. */
export async function loadDriver<T>(engine: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const [reason = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    const platform = `${process.platform}-${process.arch}`;
    throw new ConnectorError(
      'unavailable',
      `${engine} is switched off: its driver cannot be loaded on ${platform} (${reason}). Run sluice doctor to see what to do.`,
      { cause },
    );
  }
}
