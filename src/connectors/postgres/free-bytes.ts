/**
 * Frees the memory of bytes that are no longer read. Left to the garbage collector, the buffers of a large result add up to more
 * than a hundred megabytes before they are collected.
 */
export function freeBytes(bytes: Buffer): void {
  const { buffer } = bytes;
  const isAllOfIt = bytes.byteLength === buffer.byteLength; // small buffers share their memory
  if (isAllOfIt && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
