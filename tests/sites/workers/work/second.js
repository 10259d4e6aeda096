self.second = 'second';
