import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Calls JsonBuilder/ExecuteQuery for up to 100,000 rows without reading the response. */
export async function openUnreadCall(url: string, key: string, queryName: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // the service closes it
  await once(socket, 'connect');
  const text = JSON.stringify({ QueryName: queryName, Parameters: [] });
  const lines = ['Content-Type: application/json', `X-API-Key: ${key}`, 'RowSize: 100000', `Content-Length: ${text.length}`];
  socket.write(
    `POST /api/v1/JsonBuilder/ExecuteQuery HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join('\r\n')}\r\n\r\n${text}`,
  );
  return socket;
}
