'use client';
import { Modal, Popover } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import { SmallButton } from '@/components/ui/text';
import { POPOVER } from '@/components/ui/theme';
import classes from './requests.module.css';

type Props<Form extends object> = {
  label: string;
  /** What it opens, loaded with the first press. */
  load: () => Promise<ComponentType<Form & { onClose: () => void }>>;
  form: Form;
  /** Of a dialog over the page, instead of one beside the button. */
  title?: string;
};

/** A button of the table that opens a form. */
export function TableTool<Form extends object>({ label, load, form, title }: Props<Form>) {
  const [part, setPart] = useState<{ Form: ComponentType<Form & { onClose: () => void }> }>();
  const [opened, setOpened] = useState(false);
  const onClose = () => setOpened(false);
  const press = async () => {
    if (part === undefined) setPart({ Form: await orNotice(load()) });
    setOpened((now) => !now);
  };
  const content = part && <part.Form {...form} onClose={onClose} />;
  const button = (
    <SmallButton
      data-toolbar-toggle=""
      aria-haspopup="dialog"
      aria-expanded={opened}
      onClick={() => void press()}
    >
      {label}
    </SmallButton>
  );
  if (title !== undefined) {
    return (
      <>
        {button}
        <Modal {...{ opened, onClose, title }}>{content}</Modal>
      </>
    );
  }
  return (
    <Popover
      {...{ ...POPOVER, opened, onChange: setOpened }}
      width="min(24rem, calc(100vw - 1.5rem))"
      keepMounted={false}
    >
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown className={classes.options} aria-label={label}>
        {content}
      </Popover.Dropdown>
    </Popover>
  );
}
