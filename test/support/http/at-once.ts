import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface SentAtOnce {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

export interface ReceivedAtOnce {
  readonly status: number | undefined;
  readonly etag: string | undefined;
  readonly text: string;
}

/**
 * Sends requests on connections that exist already, in one turn of the event loop: a service in this process has received all of them
 * before it goes on with any, however slow the machine is.
 */
export async function sendAtOnce(requests: readonly SentAtOnce[]): Promise<readonly ReceivedAtOnce[]> {
  const agent = new Agent({ keepAlive: true });
  const send = async ({ url, method = 'GET', headers = {} }: SentAtOnce): Promise<ReceivedAtOnce> => {
    const sent = request(url, { agent, method, headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const { statusCode, headers: received } = response;
    return { status: statusCode, etag: received.etag, text: Buffer.concat(chunks).toString() };
  };
  try {
    await Promise.all(requests.map(({ url }) => send({ url: new URL('/livez', url).href })));
    return await Promise.all(requests.map(send));
  } finally {
    agent.destroy();
  }
}
