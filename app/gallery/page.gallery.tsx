import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { DiagnosisSection } from './diagnosis-section';
import { FeedsSection } from './feeds-section';
import { FiltersSection } from './filters-section';
import classes from './gallery.module.css';
import { HistogramSection } from './histogram-section';
import { PendingSection } from './pending-section';
import { PiecesSection } from './pieces-section';
import { PricesSection } from './prices-section';
import { RequestPageSection } from './request-page-section';
import { RequestsSection } from './requests-section';
import { ResultsSection } from './results-section';
import { ServicesSection } from './services-section';
import { ShellSection } from './shell-section';
import { TakeAwaySection } from './take-away-section';
import { WatchSection } from './watch-section';

export const metadata: Metadata = { title: 'Gallery' };

/** By the names that an address may ask for (`?part=pending`): all of them at once are a large page. */
const PARTS: Record<string, (props: { nowMs: number }) => ReactNode> = {
  requests: RequestsSection,
  histogram: HistogramSection,
  filters: FiltersSection,
  results: ResultsSection,
  'taking-away': TakeAwaySection,
  'request-page': RequestPageSection,
  pending: PendingSection,
  diagnosis: DiagnosisSection,
  watch: WatchSection,
  feeds: FeedsSection,
  prices: PricesSection,
  services: ServicesSection,
  shell: ShellSection,
  pieces: PiecesSection,
};

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/**
 * Every component in every state that it has, from fixtures, while developing. The switches of the navigation change
 * theme and times. A new state gets its place here; screenshots and axe visit it.
 */
export default async function GalleryPage({ searchParams }: Props) {
  const { part } = await searchParams;
  const nowMs = Date.now();
  const shown = Object.entries(PARTS).filter(([name]) => part === undefined || part === name);
  return (
    <div className={classes.gallery}>
      <h1 className={classes.title}>Gallery</h1>
      <nav className={classes.row} aria-label="Parts of the gallery" data-parts="">
        {Object.keys(PARTS).map((name) => (
          <a key={name} href={`?part=${name}`}>
            {name}
          </a>
        ))}
      </nav>
      {shown.map(([name, Part]) => (
        <Part key={name} nowMs={nowMs} />
      ))}
    </div>
  );
}
