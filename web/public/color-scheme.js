// Runs before the first paint, so that a chosen scheme shows no flash of the other one. A file, since the policy allows no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('sluice-color-scheme');
  } catch {
    // storage may be switched off
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system;
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
