import {
  Badge,
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  type MantineColorsTuple,
  Menu,
  Modal,
  type OptionsFilter,
  Paper,
  Portal,
  Tooltip,
} from '@mantine/core';
import { matchesText } from '../components/matches-text.ts';

/** The color of actions, links and the current page. */
const petrol: MantineColorsTuple = [
  '#e9f4f7',
  '#d0e6ed',
  '#a5d2df',
  '#79bccf',
  '#4aa0b8',
  '#2587a0',
  '#12738c',
  '#0b6279',
  '#0a5063',
  '#0b3c4a',
];

/** The neutrals of the charts (src/charts/option/theme.ts), so that a chart and the card around it are one surface. */
const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eef1f4',
  '#e6e9ef',
  '#d9dee6',
  '#c3c9d2',
  '#a3abb8',
  '#7c8798',
  '#5b6472',
  '#3a4351',
  '#1f2937',
];
const dark: MantineColorsTuple = [
  '#e6e9ef',
  '#c3c9d2',
  '#a3abb8',
  '#7c8798',
  '#363d49',
  '#2a2f38',
  '#1f232a',
  '#16181d',
  '#0f1115',
  '#0a0c0f',
];

/** Filled buttons and badges use shade 7, which needs enough contrast to white text. */
const withStrong = (
  [c0, c1, c2, c3, c4, c5, c6]: MantineColorsTuple,
  strong: readonly [string, string, string],
): MantineColorsTuple => [c0, c1, c2, c3, c4, c5, c6, ...strong];

/** Options are found with typos, too. */
const withTypos: OptionsFilter = ({ options, search, limit }) =>
  options
    .map((option) =>
      'group' in option ? { ...option, items: option.items.filter(({ label }) => matchesText(search, label)) } : option,
    )
    .filter((option) => ('group' in option ? option.items.length > 0 : matchesText(search, option.label)))
    .slice(0, limit);

const list = { withScrollArea: false, styles: { options: { maxHeight: 280, overflowY: 'auto' } }, filter: withTypos } as const;

const inter = 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

const overlayProps = { backgroundOpacity: 0.5, color: '#06151b', blur: 0 } as const;

/** The design system: decisions in docs/adr/0046. Colors pass WCAG AA in both color schemes, where Mantine's own do not. */
export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  black: '#18202b',
  fontFamily: inter,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  // two weights, 400 and 600: see app.css
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.375rem' },
  headings: {
    fontFamily: inter,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '2px', sm: '5px', md: '8px', lg: '10px', xl: '16px' },
  shadows: {
    sm: '0 1px 2px rgb(11 33 41 / 12%)',
    md: '0 4px 14px rgb(11 33 41 / 16%)',
    lg: '0 10px 28px rgb(11 33 41 / 20%)',
    xl: '0 18px 48px rgb(11 33 41 / 26%)',
  },
  colors: {
    petrol,
    gray,
    dark,
    red: withStrong(DEFAULT_THEME.colors.red, ['#c92a2a', '#b02525', '#961f1f']),
    teal: withStrong(DEFAULT_THEME.colors.teal, ['#087f5b', '#066649', '#055540']),
    green: withStrong(DEFAULT_THEME.colors.green, ['#2b7a35', '#23672b', '#1b5422']),
    blue: withStrong(DEFAULT_THEME.colors.blue, ['#1864ab', '#145591', '#104778']),
  },
  // plain objects for components that not every page uses, so that their code is loaded with the page that does
  components: {
    // overlays have their own landmark, see index.html
    Portal: Portal.extend({ defaultProps: { target: '#overlays' } }),
    Paper: Paper.extend({ defaultProps: { radius: 'md' } }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600 } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, transitionProps: { duration: 100 } } }),
    Alert: { defaultProps: { variant: 'light' } },
    // a closed list in the document would duplicate its field's label
    Combobox: { defaultProps: { keepMounted: false } },
    // the list itself scrolls, so that the keyboard can scroll it
    Select: { defaultProps: list },
    MultiSelect: { defaultProps: list },
    Autocomplete: { defaultProps: list },
    TagsInput: { defaultProps: list },
    Menu: Menu.extend({
      defaultProps: {
        withInitialFocusPlaceholder: false,
        shadow: 'md',
        transitionProps: { transition: 'pop-top-right', duration: 100 },
      },
    }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        radius: 'md',
        overlayProps,
        transitionProps: { transition: 'fade-down', duration: 140 },
      },
    }),
    // its <header> is not the page's header
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Drawer: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, radius: 0, overlayProps, transitionProps: { duration: 180 } },
    },
    Spotlight: { defaultProps: { radius: 'md', overlayProps, transitionProps: { duration: 100 } } },
    Progress: { defaultProps: { 'aria-label': 'Progress' } },
    Slider: { defaultProps: { thumbLabel: 'Value' } },
    // weekends and days of other months have too little contrast
    DatePicker: { defaultProps: { hideOutsideDates: true, firstDayOfWeek: 1, weekendDays: [] } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--rail-text': '#d3e4ea',
    '--rail-text-current': '#ffffff',
    '--gate': '#f2a33c', // the accent: the raised gate of the logo, and the mark of the current page
  },
  light: {
    '--ground': '#f3f5f8',
    '--rail': '#0b3440',
    '--rail-line': 'rgb(255 255 255 / 14%)',
    '--rail-current': 'rgb(255 255 255 / 11%)',
    '--mantine-color-dimmed': '#566070',
    '--mantine-color-placeholder': '#687280',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-petrol-light': '#dcedf2',
    '--mantine-color-petrol-light-hover': '#cce4eb',
    '--mantine-color-petrol-light-color': '#0a5063',
    '--mantine-color-teal-light': '#d9f1e6',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-yellow-light': '#fbeecb',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-red-light': '#fbe2e2',
    '--mantine-color-red-light-color': '#a51111',
    '--mantine-color-gray-light': '#e9ecf1',
    '--mantine-color-gray-light-color': '#434c59',
    '--mantine-color-orange-light-color': '#8a3b00',
    '--mantine-color-blue-light-color': '#1557a0',
    '--mantine-color-red-text': '#b21e1e',
    '--mantine-color-anchor': '#0b6279',
  },
  dark: {
    '--ground': '#0f1115',
    '--rail': '#0b2730',
    '--rail-line': 'rgb(255 255 255 / 11%)',
    '--rail-current': 'rgb(255 255 255 / 9%)',
    '--mantine-primary-color-filled': '#0e7c96',
    '--mantine-primary-color-filled-hover': '#12738c',
    '--mantine-color-petrol-filled': '#0e7c96',
    '--mantine-color-petrol-filled-hover': '#12738c',
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#8d96a3',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#79bccf',
    '--mantine-color-petrol-light': '#133642',
    '--mantine-color-petrol-light-hover': '#17414f',
    '--mantine-color-petrol-light-color': '#a5d2df',
    '--mantine-color-teal-light': '#10352a',
    '--mantine-color-teal-light-color': '#96f2d7',
    '--mantine-color-yellow-light': '#3b3013',
    '--mantine-color-yellow-light-color': '#ffe066',
    '--mantine-color-red-light': '#43201f',
    '--mantine-color-red-light-color': '#ffc9c9',
    '--mantine-color-gray-light': '#2a2f38',
    '--mantine-color-gray-light-color': '#ced4da',
    '--mantine-color-orange-light-color': '#ffd8a8',
    '--mantine-color-blue-light-color': '#a5d8ff',
    '--mantine-color-red-text': '#ff8787',
  },
});
