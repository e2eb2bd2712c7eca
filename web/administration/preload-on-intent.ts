interface LazyPart {
  readonly preload?: (() => Promise<void> | undefined) | undefined;
}

/** Event handlers for a button: load the code that it needs when it gets the pointer or the focus. */
export function preloadOnIntent(...parts: readonly LazyPart[]) {
  const load = (): void => {
    for (const part of parts) void part.preload?.();
  };
  return { onPointerEnter: load, onFocus: load };
}
