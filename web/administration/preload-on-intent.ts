interface LazyPart {
  readonly preload?: (() => Promise<void> | undefined) | undefined;
}

/** For what opens a part of the page: its code comes as soon as the pointer or the focus is there. */
export function preloadOnIntent(...parts: readonly LazyPart[]) {
  const load = (): void => {
    for (const part of parts) void part.preload?.();
  };
  return { onPointerEnter: load, onFocus: load };
}
