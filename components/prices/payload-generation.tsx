'use client';
import { useEffect, useState } from 'react';
import { generationName } from '@/lib/client/payload-words';
import type { PayloadGeneration } from '@/lib/domain/payload/generation';

/** The generation of a signed payload in words, told by its signatures. The code that reads them is loaded for it. */
export function PayloadGenerationName({ data }: { data: string }) {
  const [generation, setGeneration] = useState<PayloadGeneration | 'unreadable'>();
  useEffect(() => {
    let turn: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    void Promise.all([import('@/lib/domain/payload/inspect'), import('@/lib/domain/payload/generation')])
      .then(([{ inspectText }, { generationOf }]) => {
        if (isGone) return;
        // Recovering signers takes some milliseconds: each payload of a list has a turn of its own.
        turn = setTimeout(() => {
          const [payload] = inspectText(data).payloads;
          setGeneration(payload?.kind === 'update' ? generationOf(payload.update).generation : 'unreadable');
        });
      })
      // Offline, or the server has another build meanwhile: the payload can still be copied.
      .catch(() => undefined);
    return () => {
      isGone = true;
      clearTimeout(turn);
    };
  }, [data]);
  if (generation === undefined) return null;
  return generation === 'unreadable' ? 'Can’t be read' : generationName(generation);
}
