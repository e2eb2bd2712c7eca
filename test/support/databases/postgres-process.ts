import { startEmbedded } from './embedded-postgres.ts';

/** Runs a PostgreSQL and stops it when the parent process ends. */
const parentGone = new Promise<void>((resolve) => process.once('disconnect', resolve));

try {
  const server = await startEmbedded({ durable: process.argv.includes('durable') });
  process.send?.({ url: server.url });
  await parentGone;
  await server.stop();
  process.exit(0);
} catch (error) {
  process.send?.({ problem: error instanceof Error ? error.message : String(error) }, () => process.exit(1));
}
