import './mantine.css';
import '@/components/ui/tokens.css';
import '@/components/ui/base.css';

import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import type { Metadata, Viewport } from 'next';
import localFont from 'next/font/local';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';
import { Providers } from '@/components/shell/providers';
import { Shell } from '@/components/shell/shell';
import { IconSprite } from '@/components/ui/icons';
import { CONTENT_ID } from '@/components/ui/pages';
import { TimeStyleProvider } from '@/components/ui/time-style';
import { pagePrincipal } from '@/lib/access/page-principal';
import { readZoneCookie, ZONE_COOKIE } from '@/lib/core/time-text';
import { renderedIndex } from '@/lib/pending/server/triage-answer';
import { currentHealth } from '@/lib/services/service-report';

const SIGN_OUT = '/sign-in?leave=yes';

/** No page can be rendered ahead of time, because the nonce of the content security policy differs for each request. */
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Keeperscope', template: '%s · Keeperscope' },
  description: 'Dashboard for operators of a randomness keeper.',
  icons: { icon: { url: '/icon.svg', type: 'image/svg+xml' }, apple: '/icon-192.png' },
  manifest: '/manifest.webmanifest',
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f5f6f8' },
    { media: '(prefers-color-scheme: dark)', color: '#0c0f13' },
  ],
};

/** A local font, so that nothing is fetched from elsewhere. Next preloads it and fits the fallback's metrics to it. */
const inter = localFont({
  src: '../public/fonts/inter-latin.woff2',
  weight: '100 900',
  display: 'swap',
  variable: '--ks-font-inter',
});

export default async function RootLayout({ children }: { children: ReactNode }) {
  const principal = await pagePrincipal();
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  const style = readZoneCookie((await cookies()).get(ZONE_COOKIE)?.value);
  return (
    <html lang="en" {...mantineHtmlProps} className={inter.variable}>
      <head>
        {/* Delays the first paint until the content is parsed, so that the page is laid out and painted once. */}
        <link rel="expect" href={`#${CONTENT_ID}`} blocking="render" />
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" suppressHydrationWarning />
      </head>
      <body>
        <IconSprite />
        <Providers nonce={nonce}>
          <TimeStyleProvider style={style} nowMs={Date.now()}>
            {principal === undefined ? (
              children
            ) : (
              <Shell
                health={currentHealth()}
                rendered={renderedIndex()}
                leave={principal.session && SIGN_OUT}
              >
                {children}
              </Shell>
            )}
          </TimeStyleProvider>
        </Providers>
      </body>
    </html>
  );
}
