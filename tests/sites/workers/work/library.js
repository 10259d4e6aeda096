self.library = 'library';
