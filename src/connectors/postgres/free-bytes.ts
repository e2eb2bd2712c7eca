/**
 * Gives the memory of bytes back at once that nobody will look at again. Left to the collector, what a large result has passed
 * through piles up to more than a hundred megabytes before it looks.
 */
export function freeBytes(bytes: Buffer): void {
  const { buffer } = bytes;
  const isAllOfIt = bytes.byteLength === buffer.byteLength; // small ones share their memory
  if (isAllOfIt && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
