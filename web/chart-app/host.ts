/** The messages between an MCP App and the page that shows it: JSON-RPC over postMessage (MCP Apps, 2026-01-26). */
export interface Host {
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
}

type Message = {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
};

/** `onNotified` gets the notifications of the host. Its requests (`ping`, `ui/resource-teardown`) need no work here. */
export function connectHost(onNotified: (method: string, params: Readonly<Record<string, unknown>>) => void): Host {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  // the origin of a sandboxed page is opaque, and the host's is unknown: the window identifies it
  const send = (message: object): void => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (data.method !== undefined && data.id !== undefined) send({ id: data.id, result: {} });
    else if (data.method !== undefined) onNotified(data.method, isRecord(data.params) ? data.params : {});
    else if (typeof data.id === 'number') {
      const call = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error === undefined) call?.resolve(data.result);
      else call?.reject(new Error(data.error.message ?? 'The host refused the request.'));
    }
  });
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      }),
    notify: (method, params) => send({ method, params }),
  };
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
