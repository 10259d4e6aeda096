export const unit = 'fathoms';
