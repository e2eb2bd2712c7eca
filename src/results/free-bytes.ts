/**
 * Frees the whole buffer behind bytes, of which nobody uses any part. Left to the garbage collector, large buffers add up to more than a hundred
 * megabytes before they are collected, and make it mark the whole heap several times a second.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  const mayBePool = byteLength < buffer.byteLength && buffer.byteLength <= Buffer.poolSize; // small buffers share their memory
  if (!mayBePool && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
