'use client';
import { colorsTuple, createTheme } from '@mantine/core';
import { createElement } from 'react';
import { Icon } from './icons';

const SHADES = '#eef2fd #dce4fa #b8c9f6 #86a8ff #6a8ff2 #4a74e4 #2a54cc #244ab6 #1f429f #173382';

/** Maps a component's `color` to our tones: good, wait, warn, bad, odd, idle. */
const toned =
  (name: 'alert' | 'badge') =>
  (_: unknown, { color }: { color?: string }) => ({
    root: {
      [`--${name}-bg`]: `var(--ks-${color}-wash)`,
      [`--${name}-color`]: `var(--ks-${color})`,
      [`--${name}-bd`]: '1px solid transparent',
    },
  });

/** Popovers that take the focus. Not defaults of the theme, because the lists of comboboxes are popovers that must not. */
export const POPOVER = { position: 'bottom-end', shadow: 'md', trapFocus: true, returnFocus: true } as const;

/** The colours are in tokens.css. */
export const theme = createTheme({
  colors: { accent: colorsTuple(SHADES.split(' ')) },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  fontFamily: 'var(--ks-font)',
  fontFamilyMonospace: 'var(--ks-mono)',
  defaultRadius: 'sm',
  radius: { sm: '6px', lg: '10px' },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.8125rem', lg: '0.9375rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '0.9375rem' }, h3: { fontSize: '0.8125rem' } },
  },
  components: {
    Alert: { defaultProps: { color: 'warn' }, vars: toned('alert') },
    // Mantine's div would end a paragraph that contains it, and React would render the whole page again.
    Badge: {
      defaultProps: { component: 'span', color: 'idle', radius: 'sm', tt: 'none' },
      vars: toned('badge'),
    },
    Button: { defaultProps: { size: 'xs', variant: 'default' } },
    ActionIcon: { defaultProps: { size: 24, variant: 'subtle' } },
    Paper: { defaultProps: { bg: 'var(--ks-surface)' } },
    // Containing block for `sr-only` text, which would otherwise widen the page beyond the scroller.
    TableScrollContainer: { defaultProps: { pos: 'relative' } },
    Table: { defaultProps: { bg: 'var(--ks-surface)', borderColor: 'var(--ks-line)' } },
    // No transition, because a label halfway between two colours has too little contrast.
    SegmentedControl: { defaultProps: { size: 'xs', transitionDuration: 0 } },
    Checkbox: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs', autoComplete: 'off' } },
    NativeSelect: {
      defaultProps: { size: 'xs', rightSection: createElement(Icon, { name: 'down', size: 12 }) },
    },
    // `hideDetached` would close a popover whose target is out of sight for a moment.
    Popover: { defaultProps: { hideDetached: false, transitionProps: { duration: 0 } } },
    Menu: { defaultProps: { hideDetached: false, transitionProps: { duration: 0 } } },
    ModalRoot: { defaultProps: { lockScroll: false } },
    // Mantine's scroll lock writes a style without our nonce. base.css locks scrolling instead.
    Modal: { defaultProps: { lockScroll: false, closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { lockScroll: false, closeButtonProps: { 'aria-label': 'Close' } } },
    DrawerRoot: { defaultProps: { lockScroll: false } },
  },
});
