import type { Worker } from 'node:cluster';

/** Whether a message is a request of a worker to its parent process, or the response to it. */
const isAbout = <T>(topic: string, message: unknown): message is { topic: string; id: number; content: T } =>
  typeof message === 'object' && message !== null && 'topic' in message && message.topic === topic;

/** In the parent process: responds to the requests of a worker. */
export function serveRequests<Request, Response>(
  worker: Worker,
  topic: string,
  respond: (request: Request) => Response | Promise<Response>,
): void {
  worker.on('message', async (message: unknown) => {
    if (!isAbout<Request>(topic, message)) return;
    const content = await respond(message.content);
    worker.send({ ...message, content }, () => undefined); // a worker that has ended needs no response
  });
}

/** In a worker: sends requests to the parent process. */
export function connectToParent<Request, Response>(topic: string): (request: Request) => Promise<Response> {
  const waiting = new Map<number, (response: Response) => void>();
  let lastId = 0;
  process.on('message', (message: unknown) => {
    if (!isAbout<Response>(topic, message)) return;
    waiting.get(message.id)?.(message.content);
    waiting.delete(message.id);
  });
  return (content) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      process.send?.({ topic, id, content }, undefined, undefined, (error: Error | null) => {
        if (error !== null && waiting.delete(id)) reject(error);
      });
    });
}
