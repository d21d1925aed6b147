'use client';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';

/** Loaded after the page: the code that verifies signatures is larger than the page. */
export const InspectorView = dynamic(
  () => orNotice(import('./payload-inspector').then((part) => part.PayloadInspector)),
  { ssr: false },
);
