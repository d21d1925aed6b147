'use client';
import dynamic from 'next/dynamic';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';

/** Loaded after the page, because the code that verifies signatures is larger than the page. */
export const InspectorView = dynamic(
  () => noticeOnFailure(import('./payload-inspector').then((part) => part.PayloadInspector)),
  { ssr: false },
);
