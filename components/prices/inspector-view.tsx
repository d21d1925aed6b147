'use client';
import dynamic from 'next/dynamic';
import { orNotice } from '@/components/ui/part-not-loaded';

/** Loaded beside the page: the code that verifies signatures is heavier than the page. */
export const InspectorView = dynamic(
  () => orNotice(import('./payload-inspector').then((part) => part.PayloadInspector)),
  { ssr: false },
);
