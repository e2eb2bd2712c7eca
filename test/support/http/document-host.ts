import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { selfSigned } from './self-signed.ts';

/** A host on loopback with a certificate that this process trusts. */
export interface DocumentHost {
  readonly host: string; // `localhost:4711`
  readonly url: string;
  readonly port: number;
  /** Serves JSON, or what a listener writes, at a path. */
  serve(path: string, content: object | RequestListener): string;
  /** How often it was asked, and for what. */
  readonly requests: string[];
  close(): Promise<void>;
}

export async function startDocumentHost(): Promise<DocumentHost> {
  const { certificate, key } = await selfSigned('localhost');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  const contents = new Map<string, object | RequestListener>();
  const requests: string[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const content = contents.get(path);
    if (typeof content === 'function') return void (content as RequestListener)(request, response);
    if (content === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
  const url = `https://localhost:${port}`;
  return {
    host: `localhost:${port}`,
    url,
    port,
    requests,
    serve: (path, content) => {
      contents.set(path, content);
      return url + path;
    },
    close: async () => {
      setDefaultCACertificates(trusted);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
