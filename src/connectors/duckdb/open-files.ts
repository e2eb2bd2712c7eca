/** How often each file is open in this process, and whether for writing. */
const opened = new Map<string, { readers: number; writers: number }>();

/**
 * A writer needs the file exclusively. The engine ensures that between processes only, because file locks belong to the process:
 * two writers in one process would corrupt the file. Returns undefined if the file is in use, else a function that releases it.
 */
export function reserveFile(path: string, writable: boolean): (() => void) | undefined {
  const file = opened.get(path) ?? { readers: 0, writers: 0 };
  if (file.writers > 0 || (writable && file.readers > 0)) return undefined;
  const role = writable ? 'writers' : 'readers';
  file[role]++;
  opened.set(path, file);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    file[role]--;
    if (file.readers + file.writers === 0) opened.delete(path);
  };
}
