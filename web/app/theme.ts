import {
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  type MantineColorsTuple,
  Menu,
  Modal,
  Portal,
} from '@mantine/core';

/** Filled buttons and badges use shade 7, which needs enough contrast to white text. */
const withStrong = (
  [c0, c1, c2, c3, c4, c5, c6]: MantineColorsTuple,
  strong: readonly [string, string, string],
): MantineColorsTuple => [c0, c1, c2, c3, c4, c5, c6, ...strong];

const scrollingList = { options: { maxHeight: 280, overflowY: 'auto' } } as const;

const inter = 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** Some of Mantine's colours fail WCAG AA; the shades below and in `cssVariables` pass it in both colour schemes. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: inter,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontFamily: inter, fontWeight: '600', sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.0625rem' } } },
  colors: {
    red: withStrong(DEFAULT_THEME.colors.red, ['#c92a2a', '#b02525', '#961f1f']),
    teal: withStrong(DEFAULT_THEME.colors.teal, ['#087f5b', '#066649', '#055540']),
    green: withStrong(DEFAULT_THEME.colors.green, ['#2b7a35', '#23672b', '#1b5422']),
    blue: withStrong(DEFAULT_THEME.colors.blue, ['#1864ab', '#145591', '#104778']),
  },
  // plain objects for components that not every page uses, so that their code is loaded with the page that does
  components: {
    // overlays have their own landmark, see index.html
    Portal: Portal.extend({ defaultProps: { target: '#overlays' } }),
    // a closed list in the document would duplicate its field's label
    Combobox: { defaultProps: { keepMounted: false } },
    // the list itself scrolls, so that the keyboard can scroll it
    Select: { defaultProps: { withScrollArea: false, styles: scrollingList } },
    MultiSelect: { defaultProps: { withScrollArea: false, styles: scrollingList } },
    Autocomplete: { defaultProps: { withScrollArea: false, styles: scrollingList } },
    TagsInput: { defaultProps: { withScrollArea: false, styles: scrollingList } },
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    // its <header> is not the page's header
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Progress: { defaultProps: { 'aria-label': 'Progress' } },
    Slider: { defaultProps: { thumbLabel: 'Value' } },
    // weekends and days of other months have too little contrast
    DatePicker: { defaultProps: { hideOutsideDates: true, firstDayOfWeek: 1, weekendDays: [] } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6472',
    '--mantine-color-placeholder': '#6b7480',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-red-light-color': '#a51111',
    '--mantine-color-indigo-light-color': '#2f3fb0',
    '--mantine-color-gray-light-color': '#495057',
    '--mantine-color-orange-light-color': '#8a3b00',
    '--mantine-color-blue-light-color': '#1557a0',
    '--mantine-color-red-text': '#b21e1e',
    '--mantine-color-anchor': '#3b5bdb',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b1bd',
    '--mantine-color-placeholder': '#8d96a3',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#91a7ff',
    '--mantine-color-indigo-light-color': '#bac8ff',
    '--mantine-color-teal-light-color': '#96f2d7',
    '--mantine-color-yellow-light-color': '#ffe066',
    '--mantine-color-red-light-color': '#ffc9c9',
    '--mantine-color-gray-light-color': '#ced4da',
    '--mantine-color-orange-light-color': '#ffd8a8',
    '--mantine-color-blue-light-color': '#a5d8ff',
    '--mantine-color-red-text': '#ff8787',
  },
});
